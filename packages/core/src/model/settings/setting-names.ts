// Setting names for error messages: the configuration key of each setting, so that no other folder spells out a key.

import type { BulkMethod, ConfigKey } from './config.ts'
import { type FieldOf, fieldOf, type LimitKey } from './field-names.ts'
import { allSettings } from './setting-table.ts'

const namesOf = (keys: readonly string[], prefix?: string): object =>
  Object.fromEntries(keys.map((key) => [fieldOf(key, prefix), key]))

const keys = allSettings.flatMap(([key]) => (key.startsWith('API_') ? [key] : []))

/** The key of each setting: `settingNames.allowJoin` is `API_ALLOW_JOIN`. */
export const settingNames = namesOf(keys) as {
  readonly [K in ConfigKey as FieldOf<K>]-?: K
}

/** The limit of records of one write, which the meta of a model may set. */
export const maxBulkNames: string = `${settingNames.maxBulk} or max_bulk`

/** Says in error messages what the setting has: `API_ALLOW_BULK is false`, `API_ALLOW_BULK is ["POST"]`. */
export const shownBulkSetting = (allowed: ReadonlySet<BulkMethod>): string =>
  `${settingNames.allowBulk} is ${allowed.size === 0 ? 'false' : JSON.stringify([...allowed])}`

/** The setting behind each member of LimitSettings. */
export const limitSettingNames = namesOf(
  keys.filter((key) => /^API_MAX_(?!BATCH)/.test(key)),
  'API_MAX_',
) as { readonly [K in LimitKey as FieldOf<K, 'API_MAX_'>]: K }
