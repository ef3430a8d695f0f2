// Several statements on one connection, each within its bounds: transactions, a write and what it reads back, first look-ups.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sender } from './bounded-statement.ts'
import type { Bounds } from './bounds.ts'
import { ConnectionBounds, isBounded } from './connection-bounds.ts'
import { onUnlockedConnection } from './lock-retry-connection.ts'
import { WaitingForConnection } from './waiting-for-connection.ts'

/**
 * Gives `work` an instance that is bound to one connection of the pool. Every statement that `work` or Kysely itself sends
 * there (BEGIN and COMMIT, too) is bounded, and so is waiting for the connection. A statement that is given up rejects at
 * once; the connection goes back to the pool when that statement has settled after all, or was closed. Work in a
 * transaction stays in it.
 *
 * `giveUp` is told at the same time, for work that cannot end before its statement has: Kysely sends ROLLBACK first.
 */
export function onBoundedConnection<T>(
  db: AnyDatabase,
  dialect: InternalDialect,
  bounds: Bounds,
  work: (db: AnyDatabase) => Promise<T>,
  giveUp?: (error: Error) => void,
): Promise<T> {
  if (dialect.capabilities.blocksEventLoop) return onUnlockedConnection(db, dialect, bounds, work)
  return new Promise((resolve, reject) => {
    const waiting = new WaitingForConnection(bounds, reject)
    const run = async (one: AnyDatabase): Promise<void> => {
      const connection = await one.getExecutor().provideConnection(async (own) => own)
      // Whoever asked for it has left.
      if (!waiting.end()) return
      const send = sender(db, dialect, bounds)
      const place = { db, dialect, connection, bounds, send }
      // Two requests may share a transaction of the host.
      const guard = isBounded(connection) ? undefined : new ConnectionBounds(place, giveUp)
      try {
        resolve(await work(one))
      } catch (error) {
        reject(error)
      }
      await guard?.end()
    }
    const done = db.isTransaction ? run(db) : db.connection().execute(run)
    done.catch((error: unknown) => {
      waiting.end()
      reject(error)
    })
  })
}
