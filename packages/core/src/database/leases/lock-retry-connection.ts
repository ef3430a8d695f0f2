// Runs several statements on one connection of SQLite, which locks the whole database; retries statements that find it locked.
// `onBoundedConnection` calls it in place of its own work, since a SQLite driver blocks the event loop and its timers.

import { CompiledQuery, type QueryResult } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { Bounds } from '../statements/bounds.ts'
import { type Execute, interceptStatements } from '../statements/kysely-methods.ts'
import { lockedBy, retryAfter, retryWhileLocked } from '../statements/lock-retry.ts'
import { isBegin, isCommit, isRollback } from '../statements/transaction-statements.ts'

/** Milliseconds after which a transaction yields to the event loop, which its statements block: a long list takes thousands of them. */
const maxBlockingMs = 5

/** Milliseconds that each statement may wait for a lock, even if its transaction has reached its deadline. */
const minLockWait = 200

/**
 * Calls `work` with an instance bound to one connection. Before BEGIN succeeds, `work` is retried as a whole if the database
 * is locked, and the connection is released between attempts; until then, `work` may only read or send one statement.
 * After BEGIN, each statement is retried by itself, including those of hooks and COMMIT.
 */
export function onLockRetryConnection<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (db: AnyDatabase) => Promise<T>,
): Promise<T> {
  const isLocked = lockedBy(dialect)
  const until = performance.now() + bounds.deadline
  let begun = db.isTransaction
  const run = async (instance: AnyDatabase): Promise<T> => {
    const connection = await instance.getExecutor().provideConnection(async (provided) => provided)
    const options: LockRetryOptions = {
      client: bounds.client,
      until,
      begun: () => begun,
      begin: () => {
        begun = true
      },
    }
    const intercepted = interceptStatements(connection, (sendDirectly) =>
      retryingLocks(sendDirectly, dialect, options),
    )
    try {
      return await work(instance)
    } finally {
      intercepted?.release()
    }
  }
  if (begun) return run(db)
  return retryWhileLocked(
    () => db.connection().execute(run),
    (error) => !begun && isLocked(error),
    bounds,
  )
}

interface LockRetryOptions extends Pick<Bounds, 'client'> {
  /** The deadline of the transaction, on the clock of `performance.now()`. */
  readonly until: number
  /** Whether BEGIN has succeeded. */
  begun(): boolean
  /** Called when BEGIN has succeeded. */
  begin(): void
}

/** Sends each statement, and retries those of a transaction. */
function retryingLocks(
  send: Execute,
  dialect: InternalDialect,
  { client, until, begun, begin }: LockRetryOptions,
): { readonly execute: Execute } {
  const isLocked = lockedBy(dialect)
  // Set when the database may have rolled back by itself. All later statements reject with it; they would run outside the transaction.
  let ending: unknown
  let turnAt = performance.now() + maxBlockingMs
  const execute = async <R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> => {
    if (!begun()) {
      if (!isBegin(compiled)) return send(compiled, options)
      const result = await send<R>(lockOnBegin(compiled, dialect), options)
      begin()
      return result
    }
    if (ending !== undefined && !isRollback(compiled)) throw ending
    if (performance.now() >= turnAt) {
      await yieldToEventLoop()
      turnAt = performance.now() + maxBlockingMs
    }
    try {
      return await send(compiled, options)
    } catch (error) {
      return sendAgain(compiled, options, error)
    }
  }
  /** Retries a statement that failed with this error, if another connection holds the lock. */
  const sendAgain = async <R>(
    compiled: CompiledQuery,
    options: object | undefined,
    first: unknown,
  ): Promise<QueryResult<R>> => {
    const isEnd = isCommit(compiled) || isRollback(compiled)
    const deadline = Math.max(until - performance.now(), minLockWait)
    try {
      const within = isEnd ? { deadline } : { deadline, client }
      return await retryAfter(first, () => send<R>(compiled, options), isLocked, within)
    } catch (error) {
      if (!isEnd && ending === undefined && !isLocked(error) && (await hasEnded(send)))
        ending = error
      // After these errors, such as a full disk, SQLite may have rolled back.
      if (dialect.classify(error).kind === 'unavailable') ending ??= error
      // `ending` is more useful than the error of a ROLLBACK that finds no transaction.
      throw ending ?? error
    }
  }
  return { execute }
}

/** Replaces BEGIN by BEGIN IMMEDIATE, which takes the lock before hooks run, not with the first write. */
const lockOnBegin = (compiled: CompiledQuery, { server }: InternalDialect): CompiledQuery =>
  server?.beginWrite === undefined ? compiled : { ...compiled, sql: server.beginWrite }

/**
 * Whether a failed statement has ended the transaction, as `on conflict rollback` and `raise(rollback, …)` of SQLite do: BEGIN
 * then succeeds, and fails within a transaction.
 */
async function hasEnded(send: (query: CompiledQuery) => Promise<unknown>): Promise<boolean> {
  try {
    await send(CompiledQuery.raw('begin'))
  } catch {
    return false
  }
  await send(CompiledQuery.raw('rollback'))
  return true
}
