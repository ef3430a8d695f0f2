// One statement on a connection of the pool, within its bounds: waiting for the connection is bounded as its answer is.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import type { Bounds } from './bounds.ts'
import { isBounded } from './connection-bounds.ts'
import { WaitingForConnection } from './waiting-for-connection.ts'
import { WatchedStatement } from './watched-statement.ts'

/**
 * Sends a statement. Rejects at its deadline, or when its client goes away; its connection is released when the statement has
 * settled after all, or was closed.
 */
export function executeBounded<R>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  compiled: CompiledQuery<R>,
): Promise<QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForConnection(bounds, reject)
    const run = (connection: DatabaseConnection): Promise<QueryResult<R>> => {
      // Whoever asked for it has left.
      if (!waiting.end()) return nothing as Promise<QueryResult<R>>
      // Bounded already, with all that is sent on this connection.
      if (isBounded(connection)) return connection.executeQuery<R>(compiled)
      return new Promise((settle, free) => {
        const send = sender(db, dialect, bounds)
        const place = { db, dialect, connection, bounds, send }
        const running = new WatchedStatement(place, compiled.sql, { leave: reject, free })
        connection.executeQuery<R>(compiled).then(
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

const nothing: Promise<QueryResult<never>> = Promise.resolve({ rows: [] })

/** Sends statements over other connections of the pool; a transaction has no other one. */
export const sender =
  (db: AnyDatabase, dialect: InternalDialect, { deadline }: Bounds) =>
  async (statement: CompiledQuery): Promise<readonly unknown[]> =>
    db.isTransaction ? [] : (await executeBounded(db, dialect, { deadline }, statement)).rows
