// The rate limiter: counts a request in every window of a limit and refuses it when one is full.

import { tooManyRequests } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RateLimitStore } from '../../model/settings/access/access-types.ts'
import type { RateWindow } from '../../model/settings/auth/rate-windows.ts'
import { type CountRequest, countInMemory, countInStore } from './counts.ts'
import { fallbackStore } from './fallback-store.ts'
import { memoryStore } from './memory-store.ts'

/** The response headers `ratelimit-policy` and `ratelimit`; empty without limits. */
export type LimitHeaders = Readonly<Record<string, string>>

/** `key` is whose requests are counted and for what: `login|ip:203.0.113.7`, `keys|user:<hash>`. */
export interface Limiter {
  /** Counts a request; throws 429 if a window is full. Returns the headers RateLimit-Policy and RateLimit. */
  count(key: string, windows: readonly RateWindow[]): Promise<LimitHeaders>
  /** Throws 429 if the next request would exceed a window; counts nothing. */
  check(key: string, windows: readonly RateWindow[]): Promise<void>
}

interface State {
  readonly window: RateWindow
  /** The requests in the window so far. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly left: number
}

/** Creates a limiter that counts in `store`, or in memory if none is given or the store does not answer. */
export function createLimiter(parts: {
  readonly store: RateLimitStore | undefined
  readonly clock: Clock
  readonly warn: (message: string) => void
}): Limiter {
  const count = counterOf(parts)
  const stateOf = async (
    kind: 'hit' | 'peek',
    key: string,
    window: RateWindow,
  ): Promise<State> => ({
    window,
    ...(await count(kind, `${key}|${window.ms}`, window.ms)),
  })
  return {
    async count(key, windows) {
      const states: State[] = []
      for (const window of windows) {
        const state = await stateOf('hit', key, window)
        states.push(state)
        // Windows are sorted, shortest first: a request refused by a short window is not counted in longer ones.
        if (state.count > window.count) throw refusal(windows, states, state)
      }
      return headersOf(windows, states)
    },
    async check(key, windows) {
      for (const window of windows) {
        const state = await stateOf('peek', key, window)
        if (state.count >= window.count) throw refusal(windows, [state], state)
      }
    },
  }
}

/** Returns the function that counts: in the store, with memory as its fallback, or in memory alone. */
function counterOf({ store, clock, warn }: Parameters<typeof createLimiter>[0]): CountRequest {
  const memory = countInMemory(memoryStore(), clock)
  if (store === undefined) return memory
  const shared = countInStore(store, () => clock.now())
  const elapsed = (): number => clock.elapsed()
  const watched = fallbackStore({ store: shared, memory, elapsed, warn })
  if (store.peek !== undefined) return watched
  // A store without `peek`: this process counts every request as well, to answer `peek` itself.
  const seen = countInMemory(memoryStore(), clock)
  return async (kind, key, windowMs) => {
    const own = await seen(kind, key, windowMs)
    return kind === 'peek' ? own : watched(kind, key, windowMs)
  }
}

const remaining = ({ window, count }: State): number => Math.max(0, window.count - count)

const secondsUntil = ({ left }: State): string => String(Math.max(1, Math.ceil(left / 1000)))

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers-10: the policy of each window, and the number of remaining requests in the
 * counted windows. No header without windows.
 *
 * ```text
 * RateLimit-Policy: "5 per minute";q=5;w=60, "100 per hour";q=100;w=3600
 * RateLimit: "5 per minute";r=4;t=42, "100 per hour";r=99;t=3402
 * ```
 */
function headersOf(windows: readonly RateWindow[], states: readonly State[]): LimitHeaders {
  if (windows.length === 0) return {}
  const policies = windows.map(
    (window) => `"${limitText(window)}";q=${window.count};w=${Math.round(window.ms / 1000)}`,
  )
  const left = states.map(
    (state) => `"${limitText(state.window)}";r=${remaining(state)};t=${secondsUntil(state)}`,
  )
  return { 'ratelimit-policy': policies.join(', '), ratelimit: left.join(', ') }
}

/** Returns the 429 for a window that is full; `states` are the windows that were asked so far. */
function refusal(windows: readonly RateWindow[], states: readonly State[], full: State): Error {
  const headers = { ...headersOf(windows, states), 'retry-after': secondsUntil(full) }
  return tooManyRequests(limitText(full.window), headers)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Formats a window in the notation of the configuration: `5 per minute`, `100 per 15 minutes`. */
function limitText({ count, ms }: RateWindow): string {
  const [unit, size] = units.find(([, length]) => ms % length === 0) ?? ['second', 1000]
  const number = ms / size
  return `${count} per ${number === 1 ? unit : `${number} ${unit}s`}`
}
