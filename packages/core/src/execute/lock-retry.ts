// Waiting for a lock of the whole database: the work is tried again after a pause, in which the process does other things.

import type { Dialect } from '../dialect/dialect.ts'
import { clientGone } from '../errors.ts'
import type { Bounds } from './bounds.ts'

const shortestPause = 2
const longestPause = 50

/**
 * Runs `work`, and runs it again for as long as another connection holds the lock that it needs, after pauses of 1 to 50 ms.
 * At the deadline, or when its client has gone away, it rejects.
 *
 * `work` must have done nothing when it fails for want of a lock, and hold no connection while nothing runs.
 */
export function retryWhileLocked<T>(
  work: () => Promise<T>,
  isLocked: (error: unknown) => boolean,
  bounds: Bounds,
): Promise<T> {
  const until = performance.now() + bounds.deadline
  return work().catch((error: unknown) => {
    if (!isLocked(error)) throw error
    return tryAgain(work, isLocked, { until, client: bounds.client, error })
  })
}

async function tryAgain<T>(
  work: () => Promise<T>,
  isLocked: (error: unknown) => boolean,
  { until, client, error: first }: Pick<Bounds, 'client'> & { until: number; error: unknown },
): Promise<T> {
  let error = first
  for (let longest = shortestPause; ; longest = Math.min(longest * 2, longestPause)) {
    const left = until - performance.now()
    if (left <= 0) throw error
    await pause(Math.min(left, longest * (0.5 + Math.random() / 2)))
    if (client?.signal?.aborted === true) throw clientGone()
    try {
      return await work()
    } catch (again) {
      if (!isLocked(again)) throw again
      error = again
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether a driver's error says that another connection holds a lock that is given back soon. */
export const lockedBy =
  ({ classify }: Pick<Dialect, 'classify'>) =>
  (error: unknown): boolean =>
    classify(error).kind === 'locked'
