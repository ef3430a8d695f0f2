/** A database whose dialect has no shortcuts, as a `Dialect` written outside of this package: the plain ways are then taken. */
import { detectDialect } from '@model-api/core/internals'
import type { Kysely } from 'kysely'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'

/**
 * The dialect of `db` without shortcuts: values are read one by one, Kysely prints the statements, rows are objects, and
 * every write takes a transaction.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
export function plainDialect(db: Kysely<any>): InternalDialect {
  const own = detectDialect(db)
  const withoutShortcuts = ({ shortcuts: _, ...dialect }: InternalDialect): InternalDialect =>
    dialect
  return {
    ...withoutShortcuts(own),
    connect: async (...about) => withoutShortcuts((await own.connect?.(...about)) ?? own),
  }
}
