// The limiter: counts a request in every window of a limit, and refuses it when one is full.

import type { RateCount, RateLimitStore } from '../config/access-types.ts'
import type { RateWindow } from '../config/rate-windows.ts'
import { tooManyRequests } from '../errors.ts'

export type LimitHeaders = Readonly<Record<string, string>>

export interface Limiter {
  /** Counts a request; 429 where a window is full. Answers what the client is told of the fullest one. */
  count(key: string, windows: readonly RateWindow[]): Promise<LimitHeaders>
  /** As `count`, without counting: 429 where a request would be one too many. */
  look(key: string, windows: readonly RateWindow[]): Promise<void>
}

const nothing: RateCount = { count: 0, resetsAt: 0 }

interface State {
  readonly window: RateWindow
  readonly count: number
  readonly resetsAt: number
}

/** Makes a limiter; a store that fails is reported, and the process counts for itself meanwhile. */
export function createLimiter(parts: {
  readonly store: RateLimitStore
  /** Counts where the store cannot. */
  readonly fallback: RateLimitStore
  readonly now: () => number
  readonly report: (error: unknown) => void
}): Limiter {
  const { store, fallback, now, report } = parts
  // A store that cannot be looked into leaves that to this process.
  const visible = store.peek === undefined ? fallback : store
  const ask = async (kind: 'hit' | 'peek', key: string, ms: number): Promise<RateCount> => {
    const peek = async (from: RateLimitStore): Promise<RateCount> =>
      (await from.peek?.(key, ms, now())) ?? nothing
    const own = kind === 'hit' && visible !== store ? await fallback.hit(key, ms, now()) : undefined
    try {
      return kind === 'hit' ? await store.hit(key, ms, now()) : await peek(visible)
    } catch (error) {
      report(error)
      return own ?? (kind === 'hit' ? fallback.hit(key, ms, now()) : peek(fallback))
    }
  }
  const stateOf = async (kind: 'hit' | 'peek', key: string, window: RateWindow): Promise<State> => {
    const { count, resetsAt } = await ask(kind, `${key}|${window.ms}`, window.ms)
    return { window, count: Number(count), resetsAt: Number(resetsAt) }
  }
  return {
    async count(key, windows) {
      let fullest: State | undefined
      for (const window of windows) {
        const state = await stateOf('hit', key, window)
        // What is refused in a short window does not use up a long one.
        if (state.count > window.count) throw refusal(state, now())
        if (fullest === undefined || left(state) < left(fullest)) fullest = state
      }
      return fullest === undefined ? {} : headersOf(fullest, now())
    },
    async look(key, windows) {
      for (const window of windows) {
        const state = await stateOf('peek', key, window)
        if (state.count >= window.count) throw refusal(state, now())
      }
    },
  }
}

const left = ({ window, count }: State): number => Math.max(0, window.count - count)

const secondsUntil = (state: State, now: number): string =>
  String(Math.max(1, Math.ceil((state.resetsAt - now) / 1000)))

const headersOf = (state: State, now: number): LimitHeaders => ({
  'ratelimit-limit': String(state.window.count),
  'ratelimit-remaining': String(left(state)),
  'ratelimit-reset': secondsUntil(state, now),
  'ratelimit-policy': `${state.window.count};w=${Math.round(state.window.ms / 1000)}`,
})

function refusal(state: State, now: number): Error {
  const headers = {
    ...headersOf({ ...state, count: state.window.count }, now),
    'retry-after': secondsUntil(state, now),
  }
  return tooManyRequests(limitText(state.window), headers)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A window as the configuration spells it: `5 per minute`, `100 per 15 minutes`. */
function limitText({ count, ms }: RateWindow): string {
  const [unit, size] = units.find(([, length]) => ms % length === 0) ?? ['second', 1000]
  const number = ms / size
  return `${count} per ${number === 1 ? unit : `${number} ${unit}s`}`
}
