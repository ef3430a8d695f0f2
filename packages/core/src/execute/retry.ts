// withRetries: retries work that a conflict has rolled back, for a limited time.

import { ApiError } from '../errors.ts'
import { unavailable } from './unavailable.ts'

/** Milliseconds from the start within which the number of attempts is not limited. */
const retryTime = 1_000
/**
 * The number of retries after the first second, and the milliseconds within which they may start. PostgreSQL detects deadlocks only
 * after a second.
 */
const slowRetries = 3
const slowRetryTime = 5_000
const minPause = 10
const maxPause = 100

/**
 * Runs `work`, and retries it after a conflict with a random pause of 10 to 100 ms: at least once, without a limit in the
 * first second, and up to three times within five seconds. Then it throws 503.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  isConflict: (error: unknown) => boolean,
): Promise<T> {
  const started = performance.now()
  for (let attempts = 1; ; attempts++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      if (!mayRetry(attempts, performance.now() - started)) {
        throw error instanceof ApiError ? error : unavailable(error)
      }
      await pause()
    }
  }
}

const mayRetry = (attempts: number, elapsed: number): boolean =>
  attempts === 1 || elapsed < retryTime || (attempts <= slowRetries && elapsed < slowRetryTime)

/** A random pause, so that two conflicting requests do not retry at the same moment. */
function pause(): Promise<void> {
  const ms = minPause + Math.random() * (maxPause - minPause)
  return new Promise((resolve) => setTimeout(resolve, ms))
}
