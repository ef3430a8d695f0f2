// SettingReader: the only place that decides which value of a setting applies: that of meta, of config, or the default. The resolution at start-up
// reads all settings by it.

import type { ApiConfig, ConfigKey } from './config.ts'
import { type Meta, metaKeyOf } from './meta.ts'
import { settingTable } from './setting-table.ts'

/** Reads one setting: from meta, otherwise from config, otherwise the default. */
export interface SettingReader {
  /** Reads a setting that has a default. */
  get<K extends ConfigKey>(key: K): NonNullable<ApiConfig[K]>
  /** Reads a setting that may be unset. */
  find<K extends ConfigKey>(key: K): ApiConfig[K] | undefined
  /** Returns where the value is set, for error messages; undefined for a default. */
  at(key: ConfigKey): string | undefined
}

/** Creates the reader of the whole API, or of one model if its checked meta is given. */
export function settingReader(config: ApiConfig, meta?: Meta, modelName?: string): SettingReader {
  const own = meta as Readonly<Record<string, unknown>> | undefined
  const inMeta = (key: ConfigKey): unknown =>
    settingTable[key].level === 'both' ? own?.[metaKeyOf(key)] : undefined
  const find = <K extends ConfigKey>(key: K): ApiConfig[K] | undefined =>
    (inMeta(key) ?? config[key] ?? settingTable[key].default) as ApiConfig[K] | undefined
  return {
    find,
    get: <K extends ConfigKey>(key: K) => find(key) as NonNullable<ApiConfig[K]>,
    at(key) {
      if (inMeta(key) !== undefined) return `models.${modelName}.meta.${metaKeyOf(key)}`
      return config[key] === undefined ? undefined : `config.${key}`
    },
  }
}
