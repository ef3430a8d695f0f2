// Runs several statements on one connection, each with a deadline: a transaction, or a write and the read of its record. The methods
// `onOneConnection` and `inTransaction` of a lease call it.

import type { CompiledQuery } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Bounds } from '../statements/bounds.ts'
import { onCheckedSession } from '../statements/check-session.ts'
import { interceptStatements } from '../statements/kysely-methods.ts'
import { WaitingForConnection } from '../statements/waiting-for-connection.ts'
import { ConnectionBounds } from './connection-bounds.ts'
import { onLockRetryConnection } from './lock-retry-connection.ts'
import { sendOnOtherConnection } from './send.ts'

/**
 * Calls `work` with an instance bound to one connection of the pool, or with `db` itself if that is a transaction. The wait
 * for the connection has a deadline, and so has every statement on it, including Kysely's BEGIN and COMMIT. A statement that
 * exceeds its deadline rejects at once; the connection returns to the pool when the statement settles or the connection is closed.
 * The result of `work` comes once the connection is released, so that the caller never needs two connections at a time.
 *
 * `onTimeout` is called when a statement exceeds its deadline. A transaction needs it to reject at once: Kysely first sends a
 * ROLLBACK, which waits for the statement.
 */
export function onBoundedConnection<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (db: AnyDatabase) => Promise<T>,
  onTimeout?: (error: Error) => void,
): Promise<T> {
  // SQLite: while a statement runs, no timer does.
  if (dialect.capabilities.blocksEventLoop) return onLockRetryConnection(db, dialect, bounds, work)
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForConnection(bounds, reject)
    const run = async (instance: AnyDatabase): Promise<() => void> => {
      const connection = await instance
        .getExecutor()
        .provideConnection(async (provided) => provided)
      // The request has already been rejected.
      if (!waiting.end()) return () => {}
      const send = sendOnOtherConnection(db, dialect, bounds)
      const target = { db, dialect, connection, bounds, send }
      // Undefined if another request shares this transaction of the host and bounds its statements already.
      const intercepted = interceptStatements(
        connection,
        (sendDirectly) => new ConnectionBounds(target, sendDirectly, onTimeout),
      )
      // Resolves with the result. Called once the connection is released (`done`).
      let finish = (): void => {}
      try {
        const sendCheck = (check: CompiledQuery) => connection.executeQuery(check)
        const result = await onCheckedSession(db, dialect, connection, sendCheck, () =>
          work(instance),
        )
        finish = () => resolve(result)
      } catch (error) {
        reject(error)
      }
      // If a rejected statement still runs, the connection stays occupied until it ends; the result does not wait for that.
      const settled = intercepted?.sender.settled()
      if (settled !== undefined) finish()
      await settled
      intercepted?.release()
      return finish
    }
    const done = db.isTransaction ? run(db) : db.connection().execute(run)
    done.then(
      (finish) => finish(),
      (error: unknown) => {
        waiting.end()
        reject(error)
      },
    )
  })
}
