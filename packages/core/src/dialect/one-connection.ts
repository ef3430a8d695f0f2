// Which Kysely instances have one connection, so that whoever wants it waits until the transaction that holds it is over.

import { type Kysely, SqliteAdapter } from 'kysely'

/** What adapters say of it since Kysely 0.29. */
interface Connections {
  readonly supportsMultipleConnections?: boolean
}

/** Whether all statements of an instance go over one connection. */
// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export function hasOneConnection(db: Kysely<any>): boolean {
  const { adapter } = db.getExecutor()
  const { supportsMultipleConnections } = adapter as Connections
  // Before 0.29 only Kysely's own driver of SQLite is known to have one.
  return supportsMultipleConnections === undefined
    ? adapter.constructor === SqliteAdapter
    : !supportsMultipleConnections
}
