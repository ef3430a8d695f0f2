// The rate limiter: counts a request in every window of a limit and refuses it when one is full.

import type { Clock } from '../call/clock.ts'
import type { RateLimitStore } from '../config/access-types.ts'
import type { RateWindow } from '../config/rate-windows.ts'
import { tooManyRequests } from '../errors.ts'
import { type CountRequest, countInMemory, countInStore } from './counts.ts'
import { fallbackStore } from './fallback-store.ts'
import { memoryStore } from './memory-store.ts'

export type LimitHeaders = Readonly<Record<string, string>>

export interface Limiter {
  /** Counts a request; throws 429 if a window is full. Returns the RateLimit headers of the window with the fewest requests left. */
  count(key: string, windows: readonly RateWindow[]): Promise<LimitHeaders>
  /** Throws 429 if the next request would exceed a window; counts nothing. */
  check(key: string, windows: readonly RateWindow[]): Promise<void>
}

interface State {
  readonly window: RateWindow
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
      let fullest: State | undefined
      for (const window of windows) {
        const state = await stateOf('hit', key, window)
        // Windows are sorted, shortest first: a request refused by a short window is not counted in longer ones.
        if (state.count > window.count) throw refusal(state)
        if (fullest === undefined || remaining(state) < remaining(fullest)) fullest = state
      }
      return fullest === undefined ? {} : headersOf(fullest)
    },
    async check(key, windows) {
      for (const window of windows) {
        const state = await stateOf('peek', key, window)
        if (state.count >= window.count) throw refusal(state)
      }
    },
  }
}

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

const headersOf = (state: State): LimitHeaders => ({
  'ratelimit-limit': String(state.window.count),
  'ratelimit-remaining': String(remaining(state)),
  'ratelimit-reset': secondsUntil(state),
  'ratelimit-policy': `${state.window.count};w=${Math.round(state.window.ms / 1000)}`,
})

function refusal(state: State): Error {
  const headers = {
    ...headersOf({ ...state, count: state.window.count }),
    'retry-after': secondsUntil(state),
  }
  return tooManyRequests(limitText(state.window), headers)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A window in the notation of the configuration: `5 per minute`, `100 per 15 minutes`. */
function limitText({ count, ms }: RateWindow): string {
  const [unit, size] = units.find(([, length]) => ms % length === 0) ?? ['second', 1000]
  const number = ms / size
  return `${count} per ${number === 1 ? unit : `${number} ${unit}s`}`
}
