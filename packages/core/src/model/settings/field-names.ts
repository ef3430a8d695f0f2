// The fields of the resolved settings, named after their keys: API_ALLOW_JOIN is `settings.allowJoin`, API_MAX_JOINS is `limits.joins`. Types and a
// function that give the same names.

import type { ConfigKey } from './config.ts'
import type { Setting, SettingTable } from './setting-table.ts'

/** `ALLOW_JOIN` → `AllowJoin` */
type Words<Text extends string> = Text extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Lowercase<Word>>}${Words<Rest>}`
  : Capitalize<Lowercase<Text>>

/** The field of a key, without a prefix: `API_ALLOW_JOIN` → `allowJoin`, and without `API_MAX_`: `API_MAX_JOINS` → `joins`. */
export type FieldOf<
  K extends string,
  Prefix extends string = 'API_',
> = K extends `${Prefix}${infer Rest}` ? Uncapitalize<Words<Rest>> : never

/** The values of these keys, each as the field of its key. */
export type FieldsOf<K extends ConfigKey, Prefix extends string = 'API_'> = {
  readonly [P in K as FieldOf<P, Prefix>]: SettingTable[P]['default']
}

/** The keys at a level whose value is a field as it is. */
type PlainKey<Level> = {
  [K in ConfigKey]: SettingTable[K] extends Setting<unknown, infer L, false>
    ? L extends Level
      ? K
      : never
    : never
}[ConfigKey]

/** The members of the envelope. */
export type DumpKey = Extract<PlainKey<'both'>, `API_DUMP_${string}`>

/** The limits of requests; those of a batch are settings of its endpoint. */
export type LimitKey = Extract<PlainKey<'api' | 'both'>, `API_MAX_${string}`>

/** The keys of the whole API whose value is a field as it is. */
export type ApiKey = Exclude<PlainKey<'api'>, DumpKey | LimitKey>

/** The keys of models whose value is a field as it is. */
export type ModelKey = Exclude<PlainKey<'both'>, DumpKey | LimitKey>

/** Returns the field of a key. */
export const fieldOf = (key: string, prefix: string = 'API_'): string =>
  key
    .slice(prefix.length)
    .toLowerCase()
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
