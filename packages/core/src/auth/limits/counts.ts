// Counts for rate limits: how many requests a key has in its window, and when the window ends, from API_RATE_LIMIT_STORE or from memory.
// The end is relative, so that the clocks of the store and of this process may differ.

import type { Clock } from '../../lib/clock.ts'
import type { RateCount, RateLimitStore } from '../../model/settings/access/access-types.ts'

/** The requests of a key in its current window. */
export interface Count {
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly left: number
}

/** `hit` counts a request and returns the new count; `peek` returns the count unchanged. `key` is what is counted, with its window: `login|ip:203.0.113.7|60000`. */
export type CountRequest = (kind: 'hit' | 'peek', key: string, windowMs: number) => Promise<Count>

/** Returns a function that counts in `store`, by the time of `now`. */
export function countInStore(store: RateLimitStore, now: () => number): CountRequest {
  return async (kind, key, windowMs) => {
    const time = now()
    return countOf(await store[kind]?.(key, windowMs, time), windowMs, time)
  }
}

function countOf(given: RateCount | undefined, windowMs: number, now: number): Count {
  const count = Number(given?.count)
  const left = Number(given?.resetsAt) - now
  if (Number.isNaN(count) || Number.isNaN(left)) throw new Error('It answered no count.')
  // If the store's clock differs or was set back, a client is still refused for one window at most.
  return { count, left: Math.min(Math.max(left, 0), windowMs) }
}

/** Returns a function that counts in memory, by the monotonic clock, which is never set back. */
export const countInMemory = (memory: RateLimitStore, clock: Clock): CountRequest =>
  countInStore(memory, () => clock.elapsed())
