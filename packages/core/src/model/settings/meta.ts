// Meta: the type of `meta` in `defineModel`, the settings of one model. Derived from the table of settings: API_ALLOW_JOIN is `allow_join`, as
// `metaKeyOf` and `configKeyOf` convert the names.

import type { AnyModel } from '../define-model.ts'
import type { MetaMethod } from './access/callbacks-of-model.ts'
import type { HookTables, HookUser } from './access/hook-types.ts'
import type { Setting, SettingTable } from './setting-table.ts'

/** The name in meta of a key of the configuration. */
type MetaKeyOf<K> = K extends `API_${infer Rest}` ? Lowercase<Rest> : never

/** A setting for each key of the table; the types of hooks are those of one API. */
type Settings = Readonly<Record<keyof SettingTable, Setting>>

/** The table with the types of the hooks of one model. */
type ModelTable<User, DB> = SettingTable<AnyModel, HookUser, HookUser, User, DB>

/** The settings of a table that may also be in config, by their names in meta. */
type SharedMeta<Table extends Settings> = {
  readonly [K in keyof SettingTable as SettingTable[K] extends { level: 'both' }
    ? MetaKeyOf<K>
    : never]?: Table[K]['value']
}

/** The settings that only a model has. */
type OwnMeta = {
  readonly [K in keyof SettingTable as SettingTable[K] extends { level: 'model' }
    ? K
    : never]?: SettingTable[K]['value']
}

/** The callbacks, for one method only: `get_return_callback`. */
type MethodCallbacks<Table extends Settings> = {
  readonly [K in keyof SettingTable &
    `API_${string}_CALLBACK` as `${MetaMethod}_${MetaKeyOf<K>}`]?: Table[K]['value']
}

/** `post_rate_limit: '5 per minute'`: a limit of that method on this model only. */
type MethodRateLimits = { readonly [M in MetaMethod as `${M}_rate_limit`]?: string }

/**
 * The settings of one model; `meta: {}` publishes it with the API's own settings. Every key:
 * https://github.com/model-api/model-api/blob/main/docs/reference/configuration.md
 *
 * ```ts
 * meta: { allow_join: true, allowed_methods: ['GET', 'POST'], post_rate_limit: '5 per minute' }
 * ```
 */
export interface Meta<User = HookUser, DB = HookTables>
  extends SharedMeta<ModelTable<User, DB>>,
    MethodCallbacks<ModelTable<User, DB>>,
    MethodRateLimits,
    OwnMeta {}

/** Returns the name in meta of a configuration key: `API_ALLOW_JOIN` → `allow_join`. */
export const metaKeyOf = (key: string): string => key.replace(/^API_/, '').toLowerCase()

/** Returns the configuration key of a name in meta: `allow_join` → `API_ALLOW_JOIN`. */
export const configKeyOf = (metaKey: string): string => `API_${metaKey.toUpperCase()}`
