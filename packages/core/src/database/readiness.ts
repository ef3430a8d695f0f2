// Readiness: whether the service accepts requests. It does if it is not draining and the database is reachable, and also
// writable if any endpoint writes.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { ApiError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { AnyDatabase } from '../lib/sql/any-database.ts'
import { sql } from '../lib/sql/fragment.ts'
import { withoutPlugins } from '../lib/sql/without-plugins.ts'
import { withTimeLimit } from '../lib/time-limit.ts'
import { Lease } from './leases/lease.ts'
import { boundsFromNow } from './statements/bounds.ts'

/** Milliseconds within which the database must respond. */
const timeout = 1000
/** Milliseconds from the start of a check for which its state is cached, so that frequent checks cost the database little. */
const cacheTime = 500

export type ReadinessState =
  | 'ready'
  | 'draining'
  /** The database refused a start-up query; `onError` received the reason. */
  | 'start failed'
  | 'database unreachable'
  | 'database read-only'

export interface Readiness {
  /** Marks the service as draining. */
  drain(): void
  /** Checks the database; calls during a check share it. Never rejects. */
  state(): Promise<ReadinessState>
}

interface Check {
  readonly startedAt: number
  readonly state: Promise<ReadinessState>
  isRunning: boolean
}

export interface ReadinessParts {
  readonly db: AnyDatabase
  readonly dialect: () => MaybePromise<InternalDialect>
  /** Whether any published endpoint writes. */
  readonly writes: boolean
  /** Milliseconds from any fixed point, monotonic. */
  readonly elapsed: () => number
}

/** Creates the readiness of an API, whose health route (`http/endpoints/service/health.ts`) asks it. */
export function createReadiness({ db, dialect, writes, elapsed }: ReadinessParts): Readiness {
  let draining = false
  let lastCheck: Check | undefined

  const check = async (): Promise<ReadinessState> => {
    const known = await dialect()
    const readOnly = writes ? known.server?.isReadOnly : undefined
    const value = readOnly === undefined ? sql`1` : sql`case when ${readOnly} then 0 else 1 end`
    const statement = sql`select ${value} as ${sql.id('answer')}`
    const bounds = boundsFromNow({ deadline: timeout })
    const lease = new Lease({ db: withoutPlugins(db), dialect: known, bounds })
    const [row] = await lease.rows(statement)
    return Number(row?.answer) === 1 ? 'ready' : 'database read-only'
  }
  const checkInTime = (): Promise<ReadinessState> =>
    // The error of the time limit does not matter; only a failed start-up (`dialect`) rejects with `not_ready`.
    withTimeLimit(check(), timeout, () => undefined).catch((error: unknown) =>
      error instanceof ApiError && error.body.code === 'not_ready'
        ? 'start failed'
        : 'database unreachable',
    )

  const begin = (): Check => {
    const ended = (): void => {
      started.isRunning = false
    }
    const started: Check = {
      startedAt: elapsed(),
      state: checkInTime().finally(ended),
      isRunning: true,
    }
    return started
  }

  return {
    drain() {
      draining = true
    },
    async state() {
      if (draining) return 'draining'
      // A check may run for longer than its state is cached.
      if (
        lastCheck === undefined ||
        (!lastCheck.isRunning && elapsed() - lastCheck.startedAt > cacheTime)
      ) {
        lastCheck = begin()
      }
      const state = await lastCheck.state
      return draining ? 'draining' : state
    },
  }
}
