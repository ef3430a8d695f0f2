// Several statements on one connection of a database that others may lock: BEGIN waits without the connection, COMMIT with it.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import type { Bounds } from './bounds.ts'
import { lockedBy, retryWhileLocked } from './lock-retry.ts'
import { isBegin, isCommit, isRollback } from './transaction-statements.ts'

/** Milliseconds that a lock is waited for at least, also by the last statement of a long transaction. */
const leastWait = 200

/**
 * Gives `work` an instance that is bound to one connection. Until a transaction has begun, `work` is run again as a whole
 * where the database is locked, and others have the connection meanwhile; it may only read, or be one statement. From then
 * on each statement is tried again by itself, hooks' and COMMIT, too.
 */
export function onUnlockedConnection<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (db: AnyDatabase) => Promise<T>,
): Promise<T> {
  const isLocked = lockedBy(dialect)
  const until = performance.now() + bounds.deadline
  let begun = db.isTransaction
  const run = async (one: AnyDatabase): Promise<T> => {
    const connection = await one.getExecutor().provideConnection(async (own) => own)
    const patience = patient(connection, dialect, {
      client: bounds.client,
      until,
      begun: () => begun,
      begin: () => {
        begun = true
      },
    })
    try {
      return await work(one)
    } finally {
      patience.end()
    }
  }
  if (begun) return run(db)
  return retryWhileLocked(
    () => db.connection().execute(run),
    (error) => !begun && isLocked(error),
    bounds,
  )
}

interface Patience extends Pick<Bounds, 'client'> {
  readonly until: number
  begun(): boolean
  begin(): void
}

/** Connections that wait for locks at this moment. */
const patientOnes = new WeakSet<DatabaseConnection>()

/** Lets every statement of a transaction wait for locks; Kysely itself replaces the same method, to log. */
function patient(
  connection: DatabaseConnection,
  dialect: InternalDialect,
  { client, until, begun, begin }: Patience,
): { end(): void } {
  // Two requests may share a transaction of the host.
  if (patientOnes.has(connection)) return { end() {} }
  patientOnes.add(connection)
  const isLocked = lockedBy(dialect)
  // What the database may have ended the transaction for by itself: the rest would be stored without it.
  let ending: unknown
  const own = connection.executeQuery
  const executeQuery = async <R>(
    compiled: CompiledQuery,
    options?: object,
  ): Promise<QueryResult<R>> => {
    const send = (query: CompiledQuery): Promise<QueryResult<R>> =>
      own.call(connection, query, options) as Promise<QueryResult<R>>
    if (!begun()) {
      if (!isBegin(compiled)) return send(compiled)
      const result = await send(lockingFirst(compiled, dialect))
      begin()
      return result
    }
    if (ending !== undefined && !isRollback(compiled)) throw ending
    const isEnd = isCommit(compiled) || isRollback(compiled)
    const deadline = Math.max(until - performance.now(), leastWait)
    try {
      const within = isEnd ? { deadline } : { deadline, client }
      return await retryWhileLocked(() => send(compiled), isLocked, within)
    } catch (error) {
      if (dialect.classify(error).kind === 'unavailable') ending ??= error
      // A ROLLBACK that finds no transaction tells less.
      throw ending ?? error
    }
  }
  connection.executeQuery = executeQuery
  return {
    end() {
      patientOnes.delete(connection)
      if (connection.executeQuery === executeQuery) connection.executeQuery = own
    },
  }
}

/** A transaction that asks for the lock with its first write may meet it after its hooks have run. */
const lockingFirst = (compiled: CompiledQuery, { server }: InternalDialect): CompiledQuery =>
  server?.beginWrite === undefined ? compiled : { ...compiled, sql: server.beginWrite }
