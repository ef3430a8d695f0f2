// Whether the service can take requests: its database answers, takes writes where any are published, and nobody is draining it.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sql } from '../sql/fragment.ts'
import { withTimeLimit } from '../time-limit.ts'
import { onBoundedConnection } from './bounded-connection.ts'
import { boundsOfAll } from './bounds.ts'
import { run } from './run.ts'

/** Milliseconds that the database has to answer. */
const patience = 1000
/** Milliseconds that an answer is good for, so that whoever asks often costs the database little. */
const shelfLife = 500

export type ReadinessState = 'ready' | 'draining' | 'database unreachable' | 'database read-only'

export interface Readiness {
  /** From now on the service is draining. */
  drain(): void
  /** Looks at the database; several questions at the same time are one. Never rejects. */
  state(): Promise<ReadinessState>
}

export interface ReadinessParts {
  readonly db: AnyDatabase
  readonly dialect: () => MaybePromise<InternalDialect>
  /** Whether any published endpoint writes. */
  readonly writes: boolean
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
}

export function createReadiness({ db, dialect, writes, elapsed }: ReadinessParts): Readiness {
  let draining = false
  let asked: { readonly at: number; readonly state: Promise<ReadinessState> } | undefined

  const look = async (): Promise<ReadinessState> => {
    const known = await dialect()
    const readOnly = writes ? known.server?.isReadOnly : undefined
    const value = readOnly === undefined ? sql`1` : sql`case when ${readOnly} then 0 else 1 end`
    const statement = sql`select ${value} as ${sql.id('answer')}`
    const bounds = boundsOfAll({ deadline: patience })
    const [row] = await onBoundedConnection(db.withoutPlugins(), known, bounds, (own) =>
      run({ db: own, dialect: known }, statement),
    )
    return Number(row?.answer) === 1 ? 'ready' : 'database read-only'
  }
  const inTime = (): Promise<ReadinessState> =>
    withTimeLimit(look(), patience, () => undefined).catch(() => 'database unreachable')

  return {
    drain() {
      draining = true
    },
    async state() {
      if (draining) return 'draining'
      if (asked === undefined || elapsed() - asked.at > shelfLife) {
        asked = { at: elapsed(), state: inTime() }
      }
      const state = await asked.state
      return draining ? 'draining' : state
    },
  }
}
