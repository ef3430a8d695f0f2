// One timer for all waits for the database: calls the `tick` of each wait every 100 ms.

/** A wait for a connection or a statement. */
export interface Waiting {
  tick(): void
}

/** Milliseconds. */
const interval = 100

/** The number of ticks in a duration, rounded up. */
export const ticksIn = (milliseconds: number): number => Math.ceil(milliseconds / interval)

const waiting = new Set<Waiting>()
let isTicking = false

/**
 * Adds a wait. A shared timer costs a statement almost nothing. Waits count ticks instead of reading a clock, so that time
 * in which the event loop was blocked does not count against the database.
 */
export function beginWaiting(wait: Waiting): void {
  waiting.add(wait)
  if (isTicking) return
  isTicking = true
  setTimeout(tick, interval)
}

/** Removes a wait that has ended. */
export function endWaiting(wait: Waiting): void {
  waiting.delete(wait)
}

function tick(): void {
  isTicking = waiting.size > 0
  if (isTicking) setTimeout(tick, interval)
  for (const wait of waiting) wait.tick()
}
