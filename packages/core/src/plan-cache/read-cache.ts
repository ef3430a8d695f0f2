// Prepared reads by the skeletons of their queries: LRU, each kept for callers of the same authority.

import { lruMap } from '../lru-map.ts'
import { type Authority, type Kept, keptValues } from './kept.ts'
import type { PreparedRead } from './prepared-read.ts'

export interface ReadCache {
  /** The prepared read of this name for such a caller; undefined too where it cannot be prepared. */
  get(name: string, authority: Authority): PreparedRead | undefined
  /** Whether it is worth preparing: it came before, and is not known to be impossible. */
  isDue(name: string, authority: Authority): boolean
  /** null: it cannot be prepared, and need not be tried again. */
  set(name: string, authority: Authority, read: Kept<PreparedRead | null>): void
}

/** Keeps at most `size` reads. One that comes once is not prepared (unless `atOnce`), and does not push others out. */
export function createReadCache(size: number, atOnce: boolean): ReadCache {
  const known = keptValues<PreparedRead | null>(size)
  const seen = lruMap<true>(size * 2)
  return {
    get: (name, authority) => known.get(name, authority) ?? undefined,
    isDue(name, authority) {
      if (known.get(name, authority) === null) return false
      if (atOnce || seen.get(name) === true) return true
      seen.set(name, true)
      return false
    },
    set: known.set,
  }
}
