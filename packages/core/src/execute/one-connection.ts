// Several statements on one connection of the pool, without a transaction.

import type { AnyDatabase } from '../sql/any-database.ts'
import { onBoundedConnection } from './bounded-connection.ts'
import { deadlineOf } from './bounds.ts'
import type { Connection } from './run.ts'
import { unavailableBecause } from './unavailable.ts'

/**
 * Runs `work` with one connection, which the pool gets back at its end; 503 where there is none. In a transaction there
 * is only one anyway. Waiting for the connection, and each statement on it, ends at the deadline or with the client. Where
 * the request is timed, the wait for the connection counts as the database's.
 */
export async function onOneConnection<T>(
  db: AnyDatabase,
  { dialect, statementTimeout, client, timing }: Omit<Connection, 'db'>,
  work: (one: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (db.isTransaction || statementTimeout === undefined) return work(db)
  // All go over the one connection anyway, and who waits for a lock must not keep it from others.
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
    throw (!isConnected && unavailableBecause(dialect, error)) || error
  }
}
