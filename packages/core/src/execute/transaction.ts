// One transaction around a write, repeated as a whole when the database asks for it (reliability R10).

import type { AnyDatabase } from '../compile/target.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { ApiError, databaseUnavailable, missingReference, uniqueViolation } from '../errors.ts'

const mostAttempts = 4
const shortestPause = 10
const longestPause = 100

/**
 * Runs `work` in a transaction of `db`.
 *
 * A deadlock or serialisation failure rolls back, waits for a moment and begins anew, three times at most; then the
 * answer is 503. Inside a transaction that the host handed in nothing is opened, committed or repeated: it is the host's.
 */
export async function inTransaction<T>(
  db: AnyDatabase,
  dialect: Dialect,
  work: (transaction: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db)
  for (let attempt = 1; ; attempt++) {
    // What went wrong inside tells more than the rollback that fails after it.
    let inside: unknown
    try {
      return await begin(db, dialect).execute((transaction) =>
        work(transaction as AnyDatabase).catch((error: unknown) => {
          inside = error
          throw error
        }),
      )
    } catch (outside) {
      const error = inside ?? atTheEdge(dialect, outside)
      if (failureKind(dialect, error) !== 'retry') throw error
      if (attempt === mostAttempts) throw Object.assign(databaseUnavailable(), { cause: error })
      await pause()
    }
  }
}

/** BEGIN and COMMIT fail too: for want of a connection, or by constraints that are checked at the end. */
function atTheEdge(dialect: Dialect, error: unknown): unknown {
  const { kind } = dialect.classify(error)
  switch (kind) {
    case 'unavailable':
    case 'timeout':
      return Object.assign(databaseUnavailable(), { cause: error })
    case 'unique':
      return Object.assign(uniqueViolation([]), { cause: error })
    case 'foreignKey':
      return Object.assign(missingReference([]), { cause: error })
    default:
      return error
  }
}

/** Databases with row locks all read what is committed: the rows that a lock waited for, not those of before. */
function begin(db: AnyDatabase, { locksRows }: Dialect) {
  const transaction = db.transaction()
  return locksRows === true ? transaction.setIsolationLevel('read committed') : transaction
}

/** What the database says of a failure, also where a stage has already made an answer of it. */
const failureKind = (dialect: Dialect, error: unknown): string =>
  dialect.classify(error instanceof ApiError ? error.cause : error).kind

/** Different for each, so that those who met do not meet again. */
function pause(): Promise<void> {
  const ms = shortestPause + Math.random() * (longestPause - shortestPause)
  return new Promise((resolve) => setTimeout(resolve, ms))
}
