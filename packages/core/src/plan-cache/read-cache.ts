// The reads that come again: by their skeletons, so many and no more.

import type { ReadPlan } from '../plan/plan.ts'
import { recent } from '../prepared/recent.ts'
import type { PreparedRead } from './prepared-read.ts'

export interface ReadCache {
  /** A read of this name that was prepared; undefined too where it cannot be. */
  get(name: string): PreparedRead | undefined
  /** Whether it is worth preparing: it came before, and nothing is known of it. */
  isDue(name: string): boolean
  /** null: it cannot be prepared, and need not be tried again. */
  set(name: string, read: PreparedRead<ReadPlan> | null): void
}

/** Keeps at most `size` reads. One that comes once is not prepared (unless `atOnce`), and does not push others out. */
export function createReadCache(size: number, atOnce: boolean): ReadCache {
  const known = recent<PreparedRead | null>(size)
  const seen = recent<true>(size * 2)
  return {
    get: (name) => known.get(name) ?? undefined,
    isDue(name) {
      if (known.get(name) === null) return false
      if (atOnce || seen.get(name) === true) return true
      seen.set(name, true)
      return false
    },
    set: (name, read) => known.set(name, read),
  }
}
