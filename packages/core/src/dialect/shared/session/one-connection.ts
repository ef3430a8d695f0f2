// hasOneConnection: whether a Kysely instance has a single connection, so that statements outside a transaction wait until it ends. A hook
// that sends one inside of a transaction would then wait forever; `access/hooks/second-connection.ts` refuses it.

import { SqliteAdapter } from 'kysely'
import type { AnyDatabase } from '../../../lib/sql/any-database.ts'

/** What is read of Kysely's adapter; before 0.29 it lacks the member. */
interface AdapterMembers {
  readonly supportsMultipleConnections?: boolean
}

/** Whether all statements of an instance go over one connection. */
export function hasOneConnection(db: AnyDatabase): boolean {
  const { adapter } = db.getExecutor()
  const { supportsMultipleConnections } = adapter as AdapterMembers
  // Before 0.29, only Kysely's own SQLite driver is known to have a single connection.
  return supportsMultipleConnections === undefined
    ? adapter.constructor === SqliteAdapter
    : !supportsMultipleConnections
}
