/** Removes the shortcuts from a dialect, so that it is like a `Dialect` that another package provides. */
import { detectDialect } from '@model-api/core/internals'
import type { Kysely } from 'kysely'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'

/**
 * The dialect of `db` without shortcuts: values are read one by one, Kysely prints the statements, rows are objects, and every
 * write takes a transaction. `multiRowInserts` keeps the insert of many records by one statement, whose errors may name a field;
 * inserts one by one name only the record.
 */
export function plainDialect(
  // biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
  db: Kysely<any>,
  { multiRowInserts: keeps = false }: { readonly multiRowInserts?: boolean } = {},
): InternalDialect {
  const own = detectDialect(db)
  const withoutShortcuts = ({ shortcuts, ...dialect }: InternalDialect): InternalDialect => {
    const kept = keeps ? shortcuts?.multiRowInserts : undefined
    return kept === undefined ? dialect : { ...dialect, shortcuts: { multiRowInserts: kept } }
  }
  return {
    ...withoutShortcuts(own),
    connect: async (...about) => withoutShortcuts((await own.connect?.(...about)) ?? own),
  }
}
