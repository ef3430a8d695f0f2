// Remembered users: caches the user of an access token for a few seconds, so that not every request with the token reads it
// (API_USER_CACHE).

import type { Clock } from '../../lib/clock.ts'
import { copyJson } from '../../lib/json/copy.ts'
import { lruMap } from '../../lib/lru-map.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'

/** Maximum number of cached users (LRU). */
const maxUsers = 1000

/** Returns the cached user with this key, otherwise the result of `find`. */
export type RememberUser = (
  key: string,
  find: () => Promise<HookRecord | undefined>,
) => Promise<HookRecord | undefined>

/**
 * Remembers users for `seconds`; 0 remembers none. Each request gets a copy, since hooks may change the record they receive.
 * A user that was not found is looked up again.
 */
export function rememberUsers(clock: Clock, seconds: number): RememberUser {
  if (seconds === 0) return (_, find) => find()
  const known = lruMap<{ readonly user: HookRecord; readonly at: number }>(maxUsers)
  return async (key, find) => {
    const now = clock.now()
    const before = known.get(key)
    // An entry with a time in the future means that the clock was set back. Using the entry would keep it for longer than
    // `seconds`.
    if (before !== undefined && now >= before.at && now - before.at < seconds * 1000) {
      return copyJson(before.user) as HookRecord
    }
    const user = await find()
    if (user === undefined) known.delete(key)
    else known.set(key, { user: copyJson(user) as HookRecord, at: now })
    return user
  }
}
