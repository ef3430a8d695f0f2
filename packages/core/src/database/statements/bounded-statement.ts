// Runs one statement on a connection of the pool; both the wait for the connection and the statement have a deadline.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { isBounded } from '../transactions/connection-bounds.ts'
import { WaitingForConnection } from '../transactions/waiting-for-connection.ts'
import type { Bounds } from './bounds.ts'
import { onCheckedSession } from './check-session.ts'
import { WatchedStatement } from './watched-statement.ts'

/** Sends a statement on a connection of the pool, within the bounds. */
type SendOn = <T>(statement: CompiledQuery) => Promise<QueryResult<T>>

/**
 * Runs a statement. Rejects at its deadline or when its client disconnects; the connection is released when the statement
 * settles or the connection is closed.
 */
export const executeBounded = <R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> =>
  onPoolConnection(db, dialect, bounds, (connection, send) =>
    onCheckedSession(db, dialect, connection, send, () => send<R>(compiled)),
  )

/** Calls `use` with a connection of the pool whose settings are not checked; resolves when the connection is released. */
export function onPoolConnection<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  use: (connection: DatabaseConnection, send: SendOn) => Promise<R>,
): Promise<R> {
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForConnection(bounds, reject)
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
      if (isBounded(connection)) return connection.executeQuery<T>(statement)
      return new Promise((settle, free) => {
        const send = sendOnOtherConnection(db, dialect, bounds)
        const target = { db, dialect, connection, bounds, send }
        const running = new WatchedStatement(target, statement.sql, { reject, closed: free })
        connection.executeQuery<T>(statement).then(
          (result) => {
            running.end()
            settle(result)
          },
          (error: unknown) => {
            running.end()
            free(error)
          },
        )
      })
    }
    db.getExecutor()
      .provideConnection(run)
      .then(resolve, (error: unknown) => {
        waiting.end()
        reject(error)
      })
  })
}

/** The result for a request that has been rejected. */
const nothing: Promise<unknown> = Promise.resolve()

/** Returns a function that sends statements on another connection of the pool; does nothing in a transaction, which has only one. */
export const sendOnOtherConnection =
  (db: AnyDatabase, dialect: InternalDialect, { deadline }: Bounds) =>
  async (statement: CompiledQuery): Promise<readonly unknown[]> =>
    db.isTransaction ? [] : (await executeBounded(db, dialect, { deadline }, statement)).rows
