// Fallback store: counts in the shared store, and in memory while the store fails or takes longer than a second.

import { withTimeLimit } from '../../lib/time-limit.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { Count, CountRequest } from './counts.ts'

/** Milliseconds within which the store must answer. */
const storeTimeout = 1000
/** Milliseconds until a failed store is tried again; doubled after each attempt, up to `longestPause`. */
const firstPause = 1000
const longestPause = 30_000

/** What `fallbackStore` takes. */
export interface FallbackParts {
  /** Counts in the shared store (API_RATE_LIMIT_STORE). */
  readonly store: CountRequest
  /** Counts while the store is unavailable. */
  readonly memory: CountRequest
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  readonly warn: (message: string) => void
}

/**
 * Counts in the store while it responds. After a failure, or a second without a response, requests are counted in memory.
 * After each pause, one request is also counted in the store, without waiting for it; if the store responds in time, it is
 * used again. Each outage gives one warning.
 */
export function fallbackStore({ store, memory, elapsed, warn }: FallbackParts): CountRequest {
  let failed = false
  let pause = firstPause
  let retryAt = 0

  const attempt: CountRequest = (kind, key, windowMs) => {
    const answer = store(kind, key, windowMs)
    // Any answer, also a late one, shows that the store is reachable: after a failure, the next request tries it without further pause.
    answer.then(
      () => {
        retryAt = elapsed()
      },
      () => {},
    )
    return withTimeLimit(
      answer,
      storeTimeout,
      () => new Error(`It gave no answer within ${storeTimeout} ms.`),
    )
  }
  const switchToMemory = (error: unknown): void => {
    if (failed) return
    failed = true
    pause = firstPause
    retryAt = elapsed() + pause
    const reason = error instanceof Error ? error.message : String(error)
    warn(
      `The store of ${settingNames.rateLimitStore} failed: ${reason} Until it answers again, requests are counted in the memory of this process, so that several processes allow more than the limit.`,
    )
  }
  const probe: CountRequest = async (kind, key, windowMs) => {
    pause = Math.min(pause * 2, longestPause)
    retryAt = elapsed() + pause
    const answer = await attempt(kind, key, windowMs)
    failed = false
    return answer
  }
  return async (kind, key, windowMs): Promise<Count> => {
    if (failed) {
      if (elapsed() >= retryAt) probe(kind, key, windowMs).catch(() => {})
      return memory(kind, key, windowMs)
    }
    try {
      return await attempt(kind, key, windowMs)
    } catch (error) {
      switchToMemory(error)
      return memory(kind, key, windowMs)
    }
  }
}
