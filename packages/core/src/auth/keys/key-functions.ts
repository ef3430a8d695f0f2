// The API keys of users for the host application, outside any request: `api.apiKeys`.

import type { DatabaseOfCall, OnDatabase } from '../../lib/sql/on-database.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { keyOfGiven } from '../users/given-user.ts'
import type { Users } from '../users/users.ts'
import { type Keys, type ListedApiKey, longestName, type NewApiKey, shownKey } from './own-keys.ts'

/** What `api.apiKeys.create` takes. */
export interface ApiKeyOptions {
  /** By which people recognise the key. */
  readonly name: string
  /** The roles to which the key limits its user. Default: all roles that the user has. */
  readonly scopes?: readonly string[]
  /** When the key stops. Default: never. */
  readonly expires_at?: Date | string
}

/** Administration of the API keys of users. Without API_KEYS, each function rejects. */
export interface ApiKeys {
  /**
   * Makes a key of a user, given as a record of the user model. The result alone has the key: its hash is stored. Rejects if the user has
   * 100 keys.
   *
   * ```ts
   * const { key } = await api.apiKeys.create(user, { name: 'scale 3', scopes: ['device'] }) // 'mak_3f9a…_…'
   * ```
   */
  create(user: HookUser, options: ApiKeyOptions): Promise<NewApiKey>
  /** Returns the keys of a user, given as a record or its key, the newest first. */
  list(user: HookUser): Promise<readonly ListedApiKey[]>
  /** Deletes a key by its id; false if it is unknown. */
  delete(id: string): Promise<boolean>
  /**
   * Deletes all keys of a user, given as a record or its key; in the transaction `db`, if there is one. Returns their number.
   *
   * ```ts
   * await api.apiKeys.deleteAll(user, { db: args.db }) // 3
   * ```
   */
  deleteAll(user: HookUser, options?: OnDatabase): Promise<number>
}

/** Creates the `apiKeys` of an API. */
export function createKeyFunctions(
  keys: Keys | undefined,
  databaseOf: DatabaseOfCall,
  users: Users | undefined,
): ApiKeys {
  const own = (): Keys => {
    if (keys === undefined) throw new Error(`apiKeys: ${settingNames.keys} is not enabled.`)
    return keys
  }
  /** Returns the primary key of a user as text. */
  const userKeyOf = (user: HookUser): string => {
    const key = users && keyOfGiven(users, user)
    if (key === undefined) throw new Error('apiKeys: expected a user or its key.')
    return key
  }
  /** Returns the login name, which is stored with the key: it is refused once its user has another one. Empty if the user model has none. */
  const lookupOf = (user: HookUser): string => {
    const { lookupField } = users ?? {}
    if (lookupField === undefined) return ''
    const lookup: unknown = typeof user === 'object' ? user?.[lookupField] : undefined
    if (lookup !== undefined && lookup !== null) return String(lookup)
    throw new Error(`apiKeys.create: expected a record of the user, with its "${lookupField}".`)
  }
  return {
    create: async (user, { name, scopes = null, expires_at: at = null }) => {
      const expiresAt = at === null ? null : new Date(at).getTime()
      if (name === '' || name.length > longestName)
        throw new Error(`apiKeys.create: expected a name of 1 to ${longestName} characters.`)
      // A text has a method "includes", too, which would find parts of names.
      if (scopes !== null && !isListOfNames(scopes))
        throw new Error('apiKeys.create: expected scopes as a list of role names.')
      if (Number.isNaN(expiresAt)) throw new Error('apiKeys.create: expires_at is not a date.')
      const owner = { key: userKeyOf(user), lookup: lookupOf(user) }
      return own().make(databaseOf('apiKeys.create'), owner, { name, scopes, expiresAt })
    },
    list: async (user) =>
      (await own().store.ofUser(databaseOf('apiKeys.list'), userKeyOf(user))).map(shownKey),
    delete: async (id) => own().store.delete(databaseOf('apiKeys.delete'), id),
    deleteAll: async (user, options) =>
      own().store.deleteAll(databaseOf('apiKeys.deleteAll', options), userKeyOf(user)),
  }
}

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')
