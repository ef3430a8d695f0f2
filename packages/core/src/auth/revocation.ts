// Revocation of refresh tokens by the host application, outside any request (specification: Token rotation 3).

import type { Clock } from '../call/clock.ts'
import type { HookUser } from '../config/hook-types.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import type { RefreshTokenStore } from '../store/refresh-tokens.ts'
import { sha256Hex } from './digest.ts'
import type { Users } from './users.ts'

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
   * Revokes every valid token of a user, given as a record or a key, for example after a change of password. Returns
   * their number.
   */
  revokeAll(user: HookUser): Promise<number>
  /** Deletes expired tokens and returns their number. Run it regularly, for example daily. */
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
    const key =
      typeof user === 'object' && user !== null ? users?.keyOf(user) : encodeURIComponent(user)
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
