// What an administrator can do with refresh tokens, outside any request (specification: Token rotation 3).

import type { Clock } from '../call.ts'
import type { HookUser } from '../config/hook-types.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sha256Hex } from './digest.ts'
import type { RefreshTokenStore } from './refresh-tokens.ts'
import type { Users } from './users.ts'

/** The refresh tokens of an API. */
export interface RefreshTokens {
  /**
   * Revokes one token; false where it is unknown or revoked already.
   *
   * ```ts
   * await api.refreshTokens.revoke(body.refresh_token) // true; presenting it is 403 from now on
   * ```
   */
  revoke(token: string): Promise<boolean>
  /**
   * Revokes every live token of a user, given as a record or a key: after a change of password, for example. Answers
   * how many there were.
   */
  revokeAll(user: HookUser): Promise<number>
  /** Deletes the tokens whose time is over; answers how many there were. To be run now and then. */
  purgeExpired(): Promise<number>
}

/** Makes these functions for one store. */
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
