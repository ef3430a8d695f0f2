// A queue for expensive work: so much at the same time, so much waiting, the rest is refused at once.

import { tooBusy } from '../errors.ts'

/** Runs work when there is room for it; rejects with 503 when too much is waiting already. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** A queue with `slots` workers and at most `waiting` others. */
export function createQueue(slots: number, waiting: number): Queue {
  let running = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (running < slots) running++
    else {
      if (line.length >= waiting) throw tooBusy()
      // Who leaves hands the slot over, so that nobody can slip in between.
      await new Promise<void>((resolve) => line.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
