// inTransaction: runs work in one transaction and repeats it after conflicts. The lease calls it (`lease.inTransaction`,
// `lease.inTransactionIfSupported`). Also what the error of a transaction tells: whether its write may be stored (isOutcomeUnknown), how
// the database refused its COMMIT (refusedCommit), and the same for a check before COMMIT (deferredError).

import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { isWithoutTransactions } from '../../dialect/shared/session/driver-errors.ts'
import {
  ApiError,
  checkViolation,
  forbidden,
  missingReference,
  notNullViolation,
  outcomeUnknown,
  refusedByDatabase,
  transactionsUnsupported,
  uniqueViolation,
  valueNotStorable,
} from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Bounds } from '../statements/bounds.ts'
import { withRetries } from '../statements/retry.ts'
import { unavailable } from '../statements/unavailable.ts'
import { onBoundedConnection } from './bounded-connection.ts'

/**
 * The isolation of a transaction. READ COMMITTED on databases with row locks: after waiting for a lock, a statement reads the newest
 * committed row, not an older snapshot. A transaction of a single statement uses the level of its connection, which saves MySQL and
 * MariaDB the statement that sets the level.
 */
export type Isolation = 'read committed' | 'of the connection'

/** How far a transaction has got. */
type Phase = 'begin' | 'work' | 'commit'

/**
 * Runs `work` in a transaction of `db`.
 *
 * After a deadlock, a serialisation failure or another conflict, the database has rolled the transaction back, so all of
 * `work` is retried, at READ COMMITTED, where conflicts are rarer. If `db` is a transaction of the host, `work` runs in it, and
 * nothing is committed or retried. Throws 503 if the conflicts do not end.
 *
 * A COMMIT without a response is never retried, since the transaction may be stored. It throws `outcomeUnknown`, which
 * `isOutcomeUnknown` recognises.
 */
export async function inTransaction<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (transaction: AnyDatabase) => Promise<T>,
  isolation: Isolation = 'read committed',
): Promise<T> {
  if (db.isTransaction) return onBoundedConnection(db, dialect, bounds, work)
  let nextIsolation = isolation
  const tryOnce = (): Promise<T> => {
    const isolationNow = nextIsolation
    nextIsolation = 'read committed'
    return attempt(db, dialect, bounds, work, isolationNow)
  }
  return withRetries(tryOnce, (error) => isConflict(dialect, error)).catch((error: unknown) => {
    // An API error says already what failed; the error of a driver does not.
    const isOfDriver = !(error instanceof ApiError) && isConflict(dialect, error)
    throw isOfDriver ? unavailable(error, 'retry') : error
  })
}

/**
 * Like `inTransaction`, but without a transaction if the driver has none. Only for work whose data stay consistent if it fails
 * between two statements.
 */
export async function inTransactionIfSupported<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (instance: AnyDatabase) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(db, dialect, bounds, work)
  } catch (error) {
    if (!isObject(error) || !refusedBegins.has(error)) throw error
    return onBoundedConnection(db, dialect, bounds, work)
  }
}

/** The errors of BEGIN on drivers without transactions. */
const refusedBegins = new WeakSet<object>()

function attempt<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (transaction: AnyDatabase) => Promise<T>,
  isolation: Isolation,
): Promise<T> {
  let phase: Phase = 'begin'
  // The error of `work` is more useful than that of a ROLLBACK that fails after it.
  let workError: unknown
  const inOne = (instance: AnyDatabase): Promise<T> =>
    begin(instance, dialect, isolation).execute(async (transaction) => {
      phase = 'work'
      try {
        const result = await work(transaction as AnyDatabase)
        phase = 'commit'
        return result
      } catch (error) {
        workError = error
        throw error
      }
    })
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(workError ?? boundaryError(dialect, phase, error))
    // After a timeout, rejects without waiting for the statement and the ROLLBACK to end.
    onBoundedConnection(db, dialect, bounds, inOne, fail).then(resolve, fail)
  })
}

const unknownOutcomes = new WeakSet<object>()

/** Whether the write that failed with this error may be stored. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  isObject(error) && unknownOutcomes.has(error)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** 503 for a write that may be stored. */
export function unknownOutcome(cause: unknown): ApiError {
  const error = Object.assign(outcomeUnknown(), { cause })
  unknownOutcomes.add(error)
  return error
}

const refusedCommits = new WeakMap<object, DatabaseFailure>()

/** How the database refused the COMMIT that failed with this error; undefined for other errors. A write then names the columns. */
export const refusedCommit = (error: unknown): DatabaseFailure | undefined =>
  isObject(error) ? refusedCommits.get(error) : undefined

function commitRefused(refusal: ApiError, failure: DatabaseFailure, cause: unknown): ApiError {
  const error = Object.assign(refusal, { cause })
  refusedCommits.set(error, failure)
  return error
}

/** The API error for a failed check of deferred constraints before COMMIT: as for COMMIT, but it is known that nothing is stored. */
export const deferredError = (dialect: InternalDialect, error: unknown): unknown =>
  boundaryError(dialect, 'work', error)

/** The API error for a failed BEGIN or COMMIT; the error itself if there is no API error for it, as for a conflict, which is retried. */
function boundaryError(dialect: InternalDialect, phase: Phase, error: unknown): unknown {
  const failure = dialect.classify(error)
  const { kind, undone } = failure
  switch (kind) {
    case 'locked':
      // A COMMIT that does not get the lock writes nothing, so its outcome is known.
      return unavailable(error)
    case 'unavailable':
    case 'timeout':
      // `undone`: the database says that it stored nothing, even if COMMIT failed.
      return phase === 'commit' && undone !== true ? unknownOutcome(error) : unavailable(error)
    case 'unique':
      return commitRefused(uniqueViolation([]), failure, error)
    case 'foreignKey':
      return commitRefused(missingReference([]), failure, error)
    // What follows comes from a trigger, or from a statement of one, that runs at COMMIT.
    case 'check':
      return commitRefused(checkViolation(), failure, error)
    case 'notNull':
      return commitRefused(notNullViolation([]), failure, error)
    case 'value':
      return commitRefused(valueNotStorable([]), failure, error)
    case 'policy':
      return commitRefused(forbidden(), failure, error)
    case 'trigger':
      return commitRefused(refusedByDatabase(), failure, error)
    case 'other':
      if (phase === 'begin' && isWithoutTransactions(error)) return refusedBegin(error)
      // An unknown error of COMMIT does not prove a rollback.
      if (phase === 'commit' && isObject(error)) unknownOutcomes.add(error)
      return error
    default:
      return error
  }
}

function refusedBegin(cause: unknown): ApiError {
  const error = Object.assign(transactionsUnsupported(), { cause })
  refusedBegins.add(error)
  return error
}

function begin(db: AnyDatabase, { capabilities }: InternalDialect, isolation: Isolation) {
  const transaction = db.transaction()
  return capabilities.locksRows && isolation === 'read committed'
    ? transaction.setIsolationLevel(isolation)
    : transaction
}

/** Whether the error is a conflict, or an API error caused by one. */
const isConflict = (dialect: InternalDialect, error: unknown): boolean =>
  !isOutcomeUnknown(error) &&
  dialect.classify(error instanceof ApiError ? error.cause : error).kind === 'retry'
