// One transaction around a write, repeated as a whole when the database asks for it (reliability R10).

import type { AnyDatabase } from '../compile/target.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { ApiError, databaseUnavailable } from '../errors.ts'

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
    try {
      return await begin(db, dialect).execute((transaction) => work(transaction as AnyDatabase))
    } catch (error) {
      if (failureKind(dialect, error) !== 'retry') throw error
      if (attempt === mostAttempts) throw Object.assign(databaseUnavailable(), { cause: error })
      await pause()
    }
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
