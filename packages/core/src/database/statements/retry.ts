// withRetries: retries work that a conflict, such as a deadlock, has rolled back, for a limited time. Used for transactions and for writes
// of one statement.

/** Milliseconds from the start within which the number of attempts is not limited. */
const retryTime = 1_000
/**
 * The limits of retries after the first second: the number of attempts so far, and the milliseconds since the start. PostgreSQL
 * detects deadlocks only after a second.
 */
const slowRetries = 3
const slowRetryTime = 5_000
const minPause = 10
const maxPause = 100

/**
 * Runs `work`. After a conflict, waits 10 to 100 ms and runs it again: always a first time; any number of times in the first
 * second; after that, until the fifth second, only if it has run at most three times. Then throws the error
 * of the conflict.
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
      if (!mayRetry(attempts, performance.now() - started)) throw error
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
