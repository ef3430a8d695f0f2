// The memory store: counts requests for the rate limits of one process, if API_RATE_LIMIT_STORE is unset or unavailable. Its memory is bounded;
// a flood of addresses can neither exhaust it nor evict a full count.

import type { RateLimitStore } from '../../model/settings/access/access-types.ts'

/** The requests of a key in its current window. */
interface Counter {
  readonly key: string
  count: number
  /** When the window ends, in milliseconds of the clock that gives `now`. */
  resetsAt: number
  /** Index in `list`. */
  index: number
}

/** Number of random counters that are compared with the first candidate when one must be evicted. */
const sampleSize = 8

/**
 * Creates a store in memory of at most `most` counts.
 *
 * When it is full, expired counts are removed, at most once per second; if there are none, the lowest of a sample of 9 is
 * evicted. To get its own high count evicted, a client would have to raise nearly all others above it.
 */
export function memoryStore(most: number = 100_000): RateLimitStore {
  const byKey = new Map<string, Counter>()
  // The same counters as an array, to pick random ones in constant time.
  const list: Counter[] = []
  let sweptAt = Number.NEGATIVE_INFINITY

  const remove = (counter: Counter): void => {
    byKey.delete(counter.key)
    const last = list.pop()
    if (last === undefined || last === counter) return
    last.index = counter.index
    list[counter.index] = last
  }
  const makeRoom = (now: number): void => {
    // A full sweep at most once per second.
    if (now - sweptAt >= 1000) {
      sweptAt = now
      for (let i = list.length - 1; i >= 0; i--) {
        const counter = list[i]
        if (counter !== undefined && counter.resetsAt <= now) remove(counter)
      }
    }
    if (list.length < most) return
    let lowest = list[0]
    for (let i = 0; i < sampleSize; i++) {
      const other = list[Math.floor(Math.random() * list.length)]
      if (other !== undefined && other.count < (lowest?.count ?? 0)) lowest = other
    }
    if (lowest !== undefined) remove(lowest)
  }
  const addCounter = (key: string, resetsAt: number, now: number): Counter => {
    if (list.length >= most) makeRoom(now)
    const counter = { key, count: 0, resetsAt, index: list.length }
    byKey.set(key, counter)
    list.push(counter)
    return counter
  }
  return {
    async hit(key, windowMs, now) {
      const counter = byKey.get(key) ?? addCounter(key, now + windowMs, now)
      if (counter.resetsAt <= now) {
        counter.count = 0
        counter.resetsAt = now + windowMs
      }
      counter.count++
      return { count: counter.count, resetsAt: counter.resetsAt }
    },
    async peek(key, windowMs, now) {
      const counter = byKey.get(key)
      return counter === undefined || counter.resetsAt <= now
        ? { count: 0, resetsAt: now + windowMs }
        : { count: counter.count, resetsAt: counter.resetsAt }
    },
  }
}
