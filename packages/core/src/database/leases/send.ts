// send: sends one statement within its bounds, on a connection of the pool or on the connection of the instance. `Lease` sends its
// statements by it. Two parts of it have other callers: `onPoolConnection`, for statements before the settings of a session are known
// (`lasting-settings.ts`), and `sendOnOtherConnection`, by which a running statement is cancelled.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Bounds } from '../statements/bounds.ts'
import { onCheckedSession, refusedAsTooLong } from '../statements/check-session.ts'
import { isIntercepted } from '../statements/kysely-methods.ts'
import { lockedBy, retryWhileLocked } from '../statements/lock-retry.ts'
import { WaitingForConnection } from '../statements/waiting-for-connection.ts'
import { WatchedStatement } from '../statements/watched-statement.ts'

/**
 * Sends a statement. With bounds, it takes a connection of the pool, or retries while a SQLite file is locked. Without bounds, the
 * connection of `db` bounds its statements itself (`onBoundedConnection`).
 */
export function send<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds | undefined,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  if (bounds === undefined) return sendChecked(db, dialect, compiled)
  if (dialect.capabilities.blocksEventLoop) {
    return retryWhileLocked(() => db.executeQuery(compiled), lockedBy(dialect), bounds)
  }
  return sendBounded(db, dialect, bounds, compiled)
}

/** Sends a statement on the connection of `db`, if its settings are right. */
function sendChecked<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  return db.getExecutor().provideConnection((connection) => {
    const sendCheck = (check: CompiledQuery) => connection.executeQuery(check)
    return onCheckedSession(db, dialect, connection, sendCheck, () => {
      const refusal = refusedAsTooLong(db, dialect, connection, compiled)
      return refusal === undefined
        ? connection.executeQuery<R>(compiled)
        : Promise.reject<QueryResult<R>>(refusal)
    })
  })
}

/**
 * Sends a statement on a connection of the pool. Rejects at its deadline or when its client disconnects; the connection is released
 * when the statement settles or the connection is closed.
 */
const sendBounded = <R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> =>
  onPoolConnection(db, dialect, bounds, (connection, sendOn) =>
    onCheckedSession(db, dialect, connection, sendOn, () => {
      const refusal = refusedAsTooLong(db, dialect, connection, compiled)
      return refusal === undefined ? sendOn<R>(compiled) : Promise.reject<QueryResult<R>>(refusal)
    }),
  )

/** Sends a statement on a connection of the pool, within the bounds. */
type SendOn = <T>(statement: CompiledQuery) => Promise<QueryResult<T>>

/** Calls `use` with a connection of the pool whose settings are not checked; resolves when the connection is released. */
export function onPoolConnection<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  use: (connection: DatabaseConnection, send: SendOn) => Promise<R>,
): Promise<R> {
  return new Promise((resolve, rejectRequest) => {
    const waiting = new WaitingForConnection(bounds, rejectRequest)
    const run = (connection: DatabaseConnection): Promise<R> => {
      // The request has already been rejected.
      if (!waiting.end()) return nothing as Promise<R>
      return use(connection, (statement) => sendOn(connection, statement))
    }
    const sendOn = <T>(
      connection: DatabaseConnection,
      statement: CompiledQuery,
    ): Promise<QueryResult<T>> => {
      // The connection already bounds all its statements.
      if (isIntercepted(connection)) return connection.executeQuery<T>(statement)
      return new Promise((resolve, reject) => {
        const send = sendOnOtherConnection(db, dialect, bounds)
        const target = { db, dialect, connection, bounds, send }
        const running = new WatchedStatement(target, statement.sql, {
          // Answers the request; the connection stays occupied while the statement runs.
          reject: rejectRequest,
          // Ends `use`, so that the pool gets the closed connection back.
          closed: reject,
        })
        connection.executeQuery<T>(statement).then(
          (result) => {
            running.end()
            resolve(result)
          },
          (error: unknown) => {
            running.end()
            reject(error)
          },
        )
      })
    }
    db.getExecutor()
      .provideConnection(run)
      .then(resolve, (error: unknown) => {
        waiting.end()
        rejectRequest(error)
      })
  })
}

/** The result for a request that has been rejected already; nobody reads it. */
const nothing: Promise<unknown> = Promise.resolve()

/**
 * Returns a function that sends the statements by which a running statement is cancelled: on another connection of the pool, since its
 * own is busy. Does nothing in a transaction, which has only one.
 */
export const sendOnOtherConnection =
  (db: AnyDatabase, dialect: InternalDialect, { deadline }: Bounds) =>
  async (statement: CompiledQuery): Promise<readonly unknown[]> =>
    db.isTransaction ? [] : (await sendBounded(db, dialect, { deadline }, statement)).rows
