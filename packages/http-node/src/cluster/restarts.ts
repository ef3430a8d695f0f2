// Restarts: how long to wait before a worker is replaced, and when to give up; so that a crash loop is neither hot nor endless.

/** Ends are remembered for this many milliseconds. */
const memory = 60_000
const longestPause = 30_000
const mostEnds = 5

/** Milliseconds to wait, or `never`. */
export type Restart = number | 'never'

/**
 * The first worker that ends within a minute is replaced at once, the next ones after 1, 2, 4 … 30 s. The fifth is not,
 * if nobody serves; while others serve there is something to keep up.
 *
 * `ends` are the times of all ends up to now, in milliseconds.
 */
export function restartAfter(ends: readonly number[], now: number, othersServe: boolean): Restart {
  const recent = ends.filter((end) => now - end < memory).length
  if (recent >= mostEnds && !othersServe) return 'never'
  return recent <= 1 ? 0 : Math.min(longestPause, 1000 * 2 ** (recent - 2))
}
