// Target: what statements are compiled for — the dialect, a Kysely instance, and the scope of each source. Types only.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import type { Scopes } from './scopes.ts'

export interface Target {
  /** A Kysely instance without plugins, so that identifiers reach the database as the registry has them. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Which rows of each source may be read. */
  readonly scopes: Scopes
}
