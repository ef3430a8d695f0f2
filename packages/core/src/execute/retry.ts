// Work that a conflict has undone is done again, for a bounded time (reliability R10).

import { ApiError } from '../errors.ts'
import { unavailable } from './unavailable.ts'

/** Milliseconds from the start within which work is done again as often as there are conflicts. */
const retryTime = 1_000
/** Where it takes longer to find a conflict (PostgreSQL looks for deadlocks after a second): so often, and so long. */
const slowRetries = 3
const slowRetryTime = 5_000
const shortestPause = 10
const longestPause = 100

/**
 * Runs `work`, and runs it again after a conflict that has undone it, after a random pause of 10 to 100 ms: once in any
 * case, any number of times within a second of the first start, and three times within five seconds. Then it is 503.
 */
export async function retried<T>(
  work: () => Promise<T>,
  isConflict: (error: unknown) => boolean,
): Promise<T> {
  const started = performance.now()
  for (let attempts = 1; ; attempts++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      if (!mayRepeat(attempts, performance.now() - started)) {
        throw error instanceof ApiError ? error : unavailable(error)
      }
      await pause()
    }
  }
}

const mayRepeat = (attempts: number, elapsed: number): boolean =>
  attempts === 1 || elapsed < retryTime || (attempts <= slowRetries && elapsed < slowRetryTime)

/** Different for each, so that those who met do not meet again. */
function pause(): Promise<void> {
  const ms = shortestPause + Math.random() * (longestPause - shortestPause)
  return new Promise((resolve) => setTimeout(resolve, ms))
}
