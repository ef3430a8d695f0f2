// The cache of prepared reads: LRU, by a name (resource, action and the skeleton of the query) and the caller's authority. One for each
// API (`api.ts`); `planText` looks plans up in it.

import { lruMap } from '../../lib/lru-map.ts'
import { type Authority, type AuthorityBound, authorityCache } from './authority-bound.ts'
import type { PreparedRead } from './prepared-read.ts'

export interface ReadCache {
  /** Returns the prepared read with this name for a caller of this authority; undefined if there is none or it cannot be prepared. */
  get(name: string, authority: Authority): PreparedRead | undefined
  /** Whether to prepare a read: its query has occurred before, and is not known to be unpreparable. */
  shouldPrepare(name: string, authority: Authority): boolean
  /** Caches a prepared read, or null if the read cannot be prepared, so that it is not tried again. */
  set(name: string, authority: Authority, read: AuthorityBound<PreparedRead | null>): void
}

/**
 * Creates a cache of at most `size` reads. A read is prepared when its query occurs for the second time, so that queries
 * that occur once do not evict others.
 */
export function createReadCache(size: number): ReadCache {
  const known = authorityCache<PreparedRead | null>(size)
  const seen = lruMap<true>(size * 2)
  return {
    get: (name, authority) => known.get(name, authority) ?? undefined,
    shouldPrepare(name, authority) {
      if (known.get(name, authority) === null) return false
      if (seen.get(name) === true) return true
      seen.set(name, true)
      return false
    },
    set: known.set,
  }
}
