// The memory store: counts of one process, in bounded memory, so that many addresses cannot fill it nor wash a full count out of it.

import type { RateLimitStore } from '../config/access-types.ts'

interface Counter {
  count: number
  resetsAt: number
}

/** How many others a count is compared with when one must go. */
const sample = 8

/**
 * A store in memory of at most `most` counts.
 *
 * When it is full, over ones go first, then the lowest of a sample: a client that wants its own count forgotten must
 * first raise that of everybody else.
 */
export function memoryStore(most: number = 100_000): RateLimitStore {
  const counters = new Map<string, Counter>()
  let sweptAt = Number.NEGATIVE_INFINITY

  const current = (key: string, now: number): Counter | undefined => {
    const counter = counters.get(key)
    return counter !== undefined && counter.resetsAt > now ? counter : undefined
  }
  const makeRoom = (now: number): void => {
    // Looking at all of them is worth it at most once a second.
    if (now - sweptAt >= 1000) {
      sweptAt = now
      for (const [key, { resetsAt }] of counters) if (resetsAt <= now) counters.delete(key)
    }
    if (counters.size >= most) evict()
  }
  const evict = (): void => {
    let lowest: string | undefined
    let least = Number.POSITIVE_INFINITY
    let looked = 0
    for (const [key, { count }] of counters) {
      if (count < least) [lowest, least] = [key, count]
      // Who was looked at and stays goes to the end, so that the next look is at others.
      if (++looked >= sample) break
    }
    const seen = [...firstOf(counters, looked)]
    for (const [key, counter] of seen) {
      counters.delete(key)
      if (key !== lowest) counters.set(key, counter)
    }
  }
  return {
    async hit(key, windowMs, now) {
      const known = current(key, now)
      if (known !== undefined) {
        known.count++
        return { ...known }
      }
      counters.delete(key)
      if (counters.size >= most) makeRoom(now)
      const counter = { count: 1, resetsAt: now + windowMs }
      counters.set(key, counter)
      return { ...counter }
    },
    async peek(key, windowMs, now) {
      return { ...(current(key, now) ?? { count: 0, resetsAt: now + windowMs }) }
    },
  }
}

function* firstOf<T>(items: Iterable<T>, n: number): Generator<T> {
  let given = 0
  for (const item of items) {
    if (given++ >= n) return
    yield item
  }
}
