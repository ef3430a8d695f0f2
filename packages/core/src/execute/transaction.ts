// One transaction around a write, repeated as a whole when the database asks for it (reliability R3, R10).

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { ApiError, missingReference, outcomeUnknown, uniqueViolation } from '../errors.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { onBoundedConnection } from './bounded-connection.ts'
import type { Bounds } from './bounds.ts'
import { retried } from './retry.ts'
import { unavailable } from './unavailable.ts'

/** How far a transaction came. */
type Phase = 'begin' | 'work' | 'commit'

/**
 * Runs `work` in a transaction of `db`.
 *
 * After a deadlock, a serialisation failure or another conflict the transaction was rolled back as a whole, so it is
 * `repeated`, `work` included. Inside a transaction that the host handed in nothing is opened, committed or repeated: it
 * is the host's.
 *
 * A COMMIT that the database neither confirms nor refuses is never repeated, since the transaction may be stored: it is
 * `outcomeUnknown`, and `isOutcomeUnknown` tells it.
 */
export async function inTransaction<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (transaction: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return onBoundedConnection(db, dialect, bounds, work)
  return retried(
    () => attempt(db, dialect, bounds, work),
    (error) => isConflict(dialect, error),
  )
}

function attempt<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (transaction: AnyDatabase) => Promise<T>,
): Promise<T> {
  let phase: Phase = 'begin'
  // What went wrong inside tells more than the rollback that fails after it.
  let inside: unknown
  const inOne = (own: AnyDatabase): Promise<T> =>
    begin(own, dialect).execute(async (transaction) => {
      phase = 'work'
      try {
        const result = await work(transaction as AnyDatabase)
        phase = 'commit'
        return result
      } catch (error) {
        inside = error
        throw error
      }
    })
  return new Promise((resolve, reject) => {
    const fail = (outside: unknown): void => reject(inside ?? atTheEdge(dialect, phase, outside))
    // A statement that is given up is answered for before it and the ROLLBACK after it have ended.
    onBoundedConnection(db, dialect, bounds, inOne, fail).then(resolve, fail)
  })
}

const unknownOutcomes = new WeakSet<object>()

/** Whether this is the failure of a write that may be stored all the same. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && unknownOutcomes.has(error)

/** 503 for a write that may be stored. */
export function unknownOutcome(cause: unknown): ApiError {
  const error = Object.assign(outcomeUnknown(), { cause })
  unknownOutcomes.add(error)
  return error
}

/** BEGIN and COMMIT fail too: for want of a connection, or by constraints that are checked at the end. */
function atTheEdge(dialect: InternalDialect, phase: Phase, error: unknown): unknown {
  const { kind, undone } = dialect.classify(error)
  switch (kind) {
    case 'locked':
      // Also at COMMIT: the lock is needed before anything is stored.
      return unavailable(error)
    case 'unavailable':
    case 'timeout':
      return phase === 'commit' && undone !== true ? unknownOutcome(error) : unavailable(error)
    case 'unique':
      return Object.assign(uniqueViolation([]), { cause: error })
    case 'foreignKey':
      return Object.assign(missingReference([]), { cause: error })
    case 'other':
      // Not a failure that is known to have rolled back.
      if (phase === 'commit' && typeof error === 'object' && error !== null) {
        unknownOutcomes.add(error)
      }
      return error
    default:
      return error
  }
}

/** Databases with row locks all read what is committed: the rows that a lock waited for, not those of before. */
function begin(db: AnyDatabase, { capabilities }: InternalDialect) {
  const transaction = db.transaction()
  return capabilities.locksRows ? transaction.setIsolationLevel('read committed') : transaction
}

/** Whether the database asks for another try, also where a stage has already made an answer of it. */
const isConflict = (dialect: InternalDialect, error: unknown): boolean =>
  !isOutcomeUnknown(error) &&
  dialect.classify(error instanceof ApiError ? error.cause : error).kind === 'retry'
