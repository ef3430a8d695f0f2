// Revocation of refresh tokens by the host application, outside any request: `api.refreshTokens`.

import type { RefreshTokenStore } from '../../database/own-tables/refresh-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DatabaseOfCall, OnDatabase } from '../../lib/sql/on-database.ts'
import type { HookUser } from '../../model/settings/access/hook-types.ts'
import { keyOfGiven } from '../users/given-user.ts'
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
   * Revokes every valid token of a user, given as a record or its key (`user_pk` of the login), for example with a change of
   * password: in its transaction, if `db` is that. Returns their number; rejects for a value that is neither.
   *
   * ```ts
   * await api.refreshTokens.revokeAll(user, { db: args.db }) // 2
   * ```
   */
  revokeAll(user: HookUser, options?: OnDatabase): Promise<number>
  /** Deletes all expired tokens and returns their number. Logins and refreshes delete up to 500 of them a minute. */
  purgeExpired(): Promise<number>
}

/** Creates the `refreshTokens` of an API. */
export function createRevocation(
  store: RefreshTokenStore,
  databaseOf: DatabaseOfCall,
  users: Users | undefined,
  clock: Clock,
): RefreshTokens {
  const keyOf = (user: HookUser): string => {
    const key = users && keyOfGiven(users, user)
    if (key === undefined) throw new Error('refreshTokens.revokeAll: expected a user or its key.')
    return key
  }
  return {
    revoke: async (token) =>
      store.revoke(
        databaseOf('refreshTokens.revoke'),
        await sha256Hex(token.trim().replace(/^bearer +/i, '')),
        clock.now(),
      ),
    revokeAll: async (user, options) =>
      store.revokeAll(databaseOf('refreshTokens.revokeAll', options), keyOf(user), clock.now()),
    purgeExpired: async () => store.purge(databaseOf('refreshTokens.purgeExpired'), clock.now()),
  }
}
