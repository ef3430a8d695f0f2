// Target: what statements are compiled for — the dialect, a Kysely instance, and the scope of each source. Types only.

import type { Expression } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Scopes } from './scopes.ts'

export interface Target {
  /** A Kysely instance without plugins, so that identifiers reach the database as the registry has them. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Which rows of each source may be read. */
  readonly scopes: Scopes
  /** The locks by which a write reads the newest rows in a transaction of the host; absent where plain reads do. */
  readonly locks?: ReadLocks
}

/** What ends the SELECTs of a statement. */
export interface ReadLocks {
  /** For the rows that a statement is about. */
  readonly base: Expression<unknown>
  /** For rows that it joins, or tests for its conditions. */
  readonly related: Expression<unknown>
}
