/** Switches JIT off in a test database, so that tests with large statements end. */
import type { TestDatabase } from './databases.ts'

/**
 * Switches JIT off for the next connections of a PostgreSQL database, as the documentation advises: it would compile the plans of large
 * statements, which takes seconds.
 */
export async function switchJitOff(db: TestDatabase): Promise<void> {
  if (db.name !== 'postgres') return
  await db.execScript(
    "do $$ begin execute format('alter database %I set jit = off', current_database()); end $$",
  )
}
