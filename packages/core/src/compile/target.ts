// What compilation is for: the dialect, the schema, a Kysely instance to build with, and the scope of each source. Types only.

import type { Expression, Kysely } from 'kysely'
import type { Dialect } from '../dialect/dialect.ts'
import type { Source } from '../plan/plan.ts'

// biome-ignore lint/suspicious/noExplicitAny: inside, tables and columns are data of the registry
export type AnyDatabase = Kysely<any>

export interface Target {
  /** Builds statements; without plugins, so that identifiers reach the database as the registry has them. */
  readonly db: AnyDatabase
  readonly dialect: Dialect
  readonly schema: string | undefined
  /** What the access policy left of a source; absent where no policy narrows it. */
  readonly scopes: ReadonlyMap<Source, Expression<unknown>>
}
