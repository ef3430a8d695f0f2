// ApiConfig: the type of `config` in `createApi({ config })`, derived from the table of settings; and types of some of its values.

import type { Kysely, Transaction } from 'kysely'
import type { AnyModel } from '../define-model.ts'
import type { ApiRequest } from '../request.ts'
import type { HookTables, HookUser, UserOf } from './access/hook-types.ts'
import type { Setting, SettingTable } from './setting-table.ts'

/** How a write sends its client the log position that replicas must reach before they show the write. */
export type ReadYourWrites = 'off' | 'header' | 'cookie'

/** What happens if a model and the database differ. */
export type SchemaCheckMode = 'warn' | 'error' | 'off'

/** The HTTP methods generated endpoints can have; HEAD is allowed with GET, OPTIONS always. */
export type MethodName = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A method that can write many records at once. */
export type BulkMethod = 'POST' | 'PATCH' | 'DELETE'

/** Returns the connection or transaction that serves a request. */
export type SessionGetter = (
  request: ApiRequest,
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
) => Kysely<any> | Transaction<any> | Promise<Kysely<any> | Transaction<any>>

/** The settings of a table that may be in config. */
type ConfigOf<Table extends Readonly<Record<keyof SettingTable, Setting>>> = {
  readonly [K in keyof SettingTable as SettingTable[K] extends { level: 'model' }
    ? never
    : K]?: Table[K]['value']
}

/**
 * The configuration of an API: `createApi({ db, models, config })`. Every key:
 * https://github.com/model-api/model-api/blob/main/docs/reference/configuration.md
 *
 * ```ts
 * const config: ApiConfig = { API_TITLE: 'Library', API_VERSION: '1.0', API_ALLOW_JOIN: true }
 * ```
 */
export interface ApiConfig<
  UserModel extends AnyModel = AnyModel,
  CustomUser = HookUser,
  KeyUser = HookUser,
  User = UserOf<UserModel, CustomUser, KeyUser>,
  DB = HookTables,
> extends ConfigOf<SettingTable<UserModel, CustomUser, KeyUser, User, DB>> {}

/** A key of the configuration. */
export type ConfigKey = keyof ApiConfig
