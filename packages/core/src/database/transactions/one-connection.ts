// onOneConnection: runs several statements on one connection of the pool, without a transaction.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { deadlineOf } from '../statements/bounds.ts'
import type { Connection } from '../statements/run.ts'
import { onBoundedConnection } from './bounded-connection.ts'
import { asUnavailable } from './unavailable.ts'

/**
 * Calls `work` with an instance bound to one connection; in a transaction, with `db`. Throws 503 if no connection becomes
 * free. The wait and each statement end at the deadline, or when the client disconnects. Server-Timing counts the wait as time
 * of the database.
 */
export async function onOneConnection<T>(
  db: AnyDatabase,
  { dialect, statementTimeout, client, timing }: Omit<Connection, 'db'>,
  work: (one: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (db.isTransaction || statementTimeout === undefined) return work(db)
  // SQLite has one connection anyway. A statement that waits for a lock must release the connection for other requests.
  if (dialect.capabilities.blocksEventLoop) return work(db)
  let isConnected = false
  const reserve = (): Promise<T> =>
    onBoundedConnection(db, dialect, { deadline: deadlineOf(statementTimeout), client }, (one) => {
      isConnected = true
      return timing === undefined ? work(one) : timing.ownWork(() => work(one))
    })
  try {
    return await (timing === undefined ? reserve() : timing.database(reserve))
  } catch (error) {
    throw (!isConnected && asUnavailable(dialect, error)) || error
  }
}
