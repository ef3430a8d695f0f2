// Which Kysely instances have one connection, so that whoever wants it waits until the transaction that holds it is over.

import { SqliteAdapter } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'

/** What adapters say of it since Kysely 0.29. */
interface Connections {
  readonly supportsMultipleConnections?: boolean
}

/** Whether all statements of an instance go over one connection. */
export function hasOneConnection(db: AnyDatabase): boolean {
  const { adapter } = db.getExecutor()
  const { supportsMultipleConnections } = adapter as Connections
  // Before 0.29 only Kysely's own driver of SQLite is known to have one.
  return supportsMultipleConnections === undefined
    ? adapter.constructor === SqliteAdapter
    : !supportsMultipleConnections
}
