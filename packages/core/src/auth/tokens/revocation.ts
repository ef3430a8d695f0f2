// Revocation of refresh tokens by the host application, outside any request: `api.refreshTokens`.

import type { RefreshTokenStore } from '../../database/own-tables/refresh-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { decodedSegment } from '../../lib/decoded-segment.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { HookRecord, HookUser } from '../../model/settings/access/hook-types.ts'
import { keyValue } from '../../query/plan/conditions/value.ts'
import type { Users } from '../users/users.ts'
import { sha256Hex } from './digest.ts'

/** Administration of an API's refresh tokens. */
export interface RefreshTokens {
  /**
   * Revokes one token; false if it is unknown or already revoked.
   *
   * ```ts
   * await api.refreshTokens.revoke(body.refresh_token) // true; presenting it is 403 from now on
   * ```
   */
  revoke(token: string): Promise<boolean>
  /**
   * Revokes every valid token of a user, given as a record or its key (`user_pk` of the login), for example after a change of
   * password. Returns their number; rejects for a value that is neither.
   */
  revokeAll(user: HookUser): Promise<number>
  /** Deletes all expired tokens and returns their number. Logins and refreshes delete up to 500 of them a minute. */
  purgeExpired(): Promise<number>
}

/** Creates the `refreshTokens` of an API. */
export function createRevocation(
  store: RefreshTokenStore,
  db: AnyDatabase,
  users: Users | undefined,
  clock: Clock,
): RefreshTokens {
  const keyOf = (user: HookUser): string => {
    const key = users?.keyOf(keyRecord(users.resource.primaryKey, user))
    if (key === undefined) throw new Error('refreshTokens.revokeAll: expected a user or its key.')
    return key
  }
  return {
    revoke: async (token) =>
      store.revoke(db, await sha256Hex(token.trim().replace(/^bearer +/i, '')), clock.now()),
    revokeAll: async (user) => store.revokeAll(db, keyOf(user), clock.now()),
    purgeExpired: async () => store.purge(db, clock.now()),
  }
}

/** Returns the key columns of a user, each spelt as stored; undefined where the value cannot be one of its column. */
function keyRecord(primaryKey: readonly NamedColumn[], user: HookUser): HookRecord {
  const given = valuesOf(user, primaryKey)
  const record: HookRecord = {}
  for (const [i, column] of primaryKey.entries()) {
    const value = given[i]
    record[column.name] = isScalar(value) ? keyValue(column, String(value)) : undefined
  }
  return record
}

/** The values of the key columns: the members of a record, or those of a key; a key of several columns is written as in paths. */
function valuesOf(user: HookUser, columns: readonly NamedColumn[]): readonly unknown[] {
  if (typeof user === 'object') return columns.map(({ name }) => user?.[name])
  if (columns.length === 1) return [user]
  const parts = String(user).split(',')
  return parts.length === columns.length ? parts.map(decodedSegment) : []
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'bigint'].includes(typeof value)
