// The busy timeout of SQLite: waiting for a lock inside SQLite would stop the whole process, timers and all other requests.

import { sql } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'

/**
 * Lets statements on this connection fail at once where another process holds the lock they need; they are tried again
 * without stopping the process. A driver that does not take the setting keeps its own.
 */
export async function shortBusyTimeout(db: AnyDatabase): Promise<void> {
  await sql`pragma busy_timeout = 0`.execute(db).catch(() => {})
}
