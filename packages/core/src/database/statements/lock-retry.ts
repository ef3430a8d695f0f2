// retryWhileLocked, and retryAfter for work that has already failed once: retry work while the SQLite database is locked by another
// connection (lockedBy), with pauses that do not block the event loop.

import type { Dialect } from '../../dialect/dialect.ts'
import { clientGone } from '../../errors.ts'
import type { Bounds } from './bounds.ts'

/** The longest first pause, in milliseconds; the pause doubles with each attempt, up to `maxPause`. */
const firstPause = 2
const maxPause = 50

/**
 * Runs `work`, and retries it while another connection holds the lock, after pauses of 1 to 50 ms. Rejects when the client
 * disconnects, or at the deadline, counted from the first failure.
 *
 * `work` must have changed nothing if it fails because of the lock, and must not keep a connection between attempts.
 */
export const retryWhileLocked = <T>(
  work: () => Promise<T>,
  isLocked: (error: unknown) => boolean,
  bounds: Bounds,
): Promise<T> => work().catch((error: unknown) => retryAfter(error, work, isLocked, bounds))

/** `retryWhileLocked` for work that has failed once, with the error `first`. */
export async function retryAfter<T>(
  first: unknown,
  work: () => Promise<T>,
  isLocked: (error: unknown) => boolean,
  { deadline, client }: Bounds,
): Promise<T> {
  if (!isLocked(first)) throw first
  const until = performance.now() + deadline
  let error = first
  for (let limit = firstPause; ; limit = Math.min(limit * 2, maxPause)) {
    const left = until - performance.now()
    if (left <= 0) throw error
    await pause(Math.min(left, limit * (0.5 + Math.random() / 2)))
    if (client?.signal?.aborted === true) throw clientGone()
    try {
      return await work()
    } catch (next) {
      if (!isLocked(next)) throw next
      error = next
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns a function that tells whether a driver's error means that another connection holds the lock. */
export const lockedBy =
  ({ classify }: Pick<Dialect, 'classify'>) =>
  (error: unknown): boolean =>
    classify(error).kind === 'locked'
