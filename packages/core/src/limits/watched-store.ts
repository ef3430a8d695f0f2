// A shared store that may be away: it has a second to answer; then requests are counted in memory until it answers again.

import { settingNames } from '../config/setting-names.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { Ask, Count } from './counts.ts'

/** Milliseconds that the store has to answer. */
const patience = 1000
/** Milliseconds until a store that gave no answer is asked again; doubled each time, up to the longest. */
const firstPause = 1000
const longestPause = 30_000

export interface WatchedParts {
  readonly store: Ask
  /** Counts while the store does not. */
  readonly memory: Ask
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
  readonly warn: (message: string) => void
}

/**
 * Asks the store while it answers. After a failure, or a second without an answer, memory counts; now and then one
 * request is counted in the store as well, without being waited for, and when that is answered in time, the store is
 * used again. Of each outage there is one warning.
 */
export function watchedStore({ store, memory, elapsed, warn }: WatchedParts): Ask {
  let away = false
  let pause = firstPause
  let askAgainAt = 0

  const attempt: Ask = (kind, key, windowMs) => {
    const answer = store(kind, key, windowMs)
    let late = false
    const inTime = withTimeLimit(answer, patience, () => {
      late = true
      return new Error(`It gave no answer within ${patience} ms.`)
    })
    // Who answers late is there again, though perhaps still slow: the next request finds out.
    answer.then(
      () => {
        if (late) askAgainAt = elapsed()
      },
      () => {},
    )
    return inTime
  }
  const leave = (error: unknown): void => {
    if (away) return
    away = true
    pause = firstPause
    askAgainAt = elapsed() + pause
    const reason = error instanceof Error ? error.message : String(error)
    warn(
      `The store of ${settingNames.rateLimitStore} failed: ${reason} Until it answers again, requests are counted in the memory of this process, so that several processes allow more than the limit.`,
    )
  }
  const probe: Ask = async (kind, key, windowMs) => {
    pause = Math.min(pause * 2, longestPause)
    askAgainAt = elapsed() + pause
    const answer = await attempt(kind, key, windowMs)
    away = false
    return answer
  }
  return async (kind, key, windowMs): Promise<Count> => {
    if (away) {
      if (elapsed() >= askAgainAt) probe(kind, key, windowMs).catch(() => {})
      return memory(kind, key, windowMs)
    }
    try {
      return await attempt(kind, key, windowMs)
    } catch (error) {
      leave(error)
      return memory(kind, key, windowMs)
    }
  }
}
