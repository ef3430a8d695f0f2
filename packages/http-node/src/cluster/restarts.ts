// restartAfter: the delay before a worker of `serve --workers` that has ended is replaced, and when to give up, so that a crash loop
// neither uses all CPU time nor runs forever.

/** Milliseconds for which the end of a worker is counted. */
const countedFor = 60_000
const longestPause = 30_000
const mostEnds = 5

/** Milliseconds to wait, or `never`. */
export type Restart = number | 'never'

/**
 * Returns how long to wait before a worker that ended is replaced. The first worker that ends within a minute is replaced
 * immediately, the next ones after 1, 2, 4 … 30 s. The fifth is never replaced if no other worker serves.
 *
 * `ends` are the times of all ends up to now, in milliseconds.
 */
export function restartAfter(ends: readonly number[], now: number, othersServe: boolean): Restart {
  const recent = ends.filter((end) => now - end < countedFor).length
  if (recent >= mostEnds && !othersServe) return 'never'
  return recent <= 1 ? 0 : Math.min(longestPause, 1000 * 2 ** (recent - 2))
}
