// shortBusyTimeout: while SQLite itself waits for a lock (its busy timeout), it blocks the event loop and so all other requests.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'

/**
 * Makes statements on this connection fail at once while another process holds the lock; the service retries them without blocking
 * the event loop. A driver that rejects the setting keeps its own timeout.
 */
export async function shortBusyTimeout(db: AnyDatabase): Promise<void> {
  await rowsOf(db)`pragma busy_timeout = 0`.catch(() => {})
}
