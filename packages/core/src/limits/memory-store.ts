// The memory store: counts of one process, in bounded memory, so that many addresses cannot fill it nor wash a full count out of it.

import type { RateLimitStore } from '../config/access-types.ts'

interface Counter {
  readonly key: string
  count: number
  resetsAt: number
  /** Where it stands in the list. */
  place: number
}

/** How many are compared when one must go. */
const sample = 8

/**
 * A store in memory of at most `most` counts.
 *
 * When it is full, those that are over go first, then the lowest of a random few: a client that wants its own count
 * forgotten must first raise that of everybody else.
 */
export function memoryStore(most: number = 100_000): RateLimitStore {
  const byKey = new Map<string, Counter>()
  // The same counters in a list, so that any of them can be looked at in no time.
  const list: Counter[] = []
  let sweptAt = Number.NEGATIVE_INFINITY

  const remove = (counter: Counter): void => {
    byKey.delete(counter.key)
    const last = list.pop()
    if (last === undefined || last === counter) return
    last.place = counter.place
    list[counter.place] = last
  }
  const makeRoom = (now: number): void => {
    // Looking at all of them is worth it at most once a second.
    if (now - sweptAt >= 1000) {
      sweptAt = now
      for (let i = list.length - 1; i >= 0; i--) {
        const counter = list[i]
        if (counter !== undefined && counter.resetsAt <= now) remove(counter)
      }
    }
    if (list.length < most) return
    let lowest = list[0]
    for (let i = 0; i < sample; i++) {
      const other = list[Math.floor(Math.random() * list.length)]
      if (other !== undefined && other.count < (lowest?.count ?? 0)) lowest = other
    }
    if (lowest !== undefined) remove(lowest)
  }
  const open = (key: string, resetsAt: number, now: number): Counter => {
    if (list.length >= most) makeRoom(now)
    const counter = { key, count: 0, resetsAt, place: list.length }
    byKey.set(key, counter)
    list.push(counter)
    return counter
  }
  return {
    async hit(key, windowMs, now) {
      const counter = byKey.get(key) ?? open(key, now + windowMs, now)
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
