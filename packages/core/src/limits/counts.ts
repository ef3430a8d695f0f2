// Counts: how often a key was counted in its window, with the time that is left; stores that go by different clocks look alike.

import type { Clock } from '../call.ts'
import type { RateCount, RateLimitStore } from '../config/access-types.ts'

export interface Count {
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly left: number
}

/** `hit` counts a request and answers the new count, `peek` answers the count as it is. */
export type Ask = (kind: 'hit' | 'peek', key: string, windowMs: number) => Promise<Count>

/** Asks a store, which is told the time by `now`. */
export function askStore(store: RateLimitStore, now: () => number): Ask {
  return async (kind, key, windowMs) => {
    const time = now()
    return countOf(await store[kind]?.(key, windowMs, time), windowMs, time)
  }
}

function countOf(given: RateCount | undefined, windowMs: number, now: number): Count {
  const count = Number(given?.count)
  const left = Number(given?.resetsAt) - now
  if (Number.isNaN(count) || Number.isNaN(left)) throw new Error('It answered no count.')
  // A store whose clock differs from ours, or was set back, cannot shut anybody out for longer than the window.
  return { count, left: Math.min(Math.max(left, 0), windowMs) }
}

/** Counts in the memory of the process, whose windows end by a clock that is never set back. */
export const askMemory = (memory: RateLimitStore, clock: Clock): Ask =>
  askStore(memory, () => clock.elapsed())
