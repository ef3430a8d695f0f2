// Tells everything that waits for the database, ten times a second, that it is still waiting.

/** Something that waits. */
export interface Waiting {
  tick(): void
}

const interval = 100

/** Ticks in so many milliseconds, rounded up. */
export const ticksIn = (milliseconds: number): number => Math.ceil(milliseconds / interval)

const waiting = new Set<Waiting>()
let isTicking = false

/**
 * One timer for all, and ticks that are counted instead of a clock: this costs a statement next to nothing, and time in
 * which the process itself was held up does not count against the database.
 */
export function beginWaiting(one: Waiting): void {
  waiting.add(one)
  if (isTicking) return
  isTicking = true
  setTimeout(tick, interval)
}

export function endWaiting(one: Waiting): void {
  waiting.delete(one)
}

function tick(): void {
  isTicking = waiting.size > 0
  if (isTicking) setTimeout(tick, interval)
  for (const one of waiting) one.tick()
}
