// A queue for expensive work, such as comparing passwords, that limits how many tasks run and how many wait; a further task is refused
// immediately, with 503.

import { tooBusy } from '../../errors.ts'

/** Runs work when a slot is free; rejects with 503 if the queue is full. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a queue that runs `slots` tasks at once and lets `waiting` more wait. */
export function createQueue(slots: number, waiting: number): Queue {
  let running = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (running < slots) running++
    else {
      if (line.length >= waiting) throw tooBusy()
      // A finished task hands its slot to the first waiting one, so that a new task cannot overtake it.
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
