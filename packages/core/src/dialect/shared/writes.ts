// LoneWrites: which changes of a row may be one statement, without a transaction around it, and how the row is known then.

import type { AnyDatabase } from '../../sql/any-database.ts'
import type { DialectTable } from '../dialect.ts'
import type { InternalDialect } from '../internal-dialect.ts'

/** What one statement does to one row. */
export type RowChange = 'insert' | 'update' | 'delete'

/** How the row becomes known: the statement gives it back (RETURNING), or a locking read after it. */
export type LoneEcho = 'returned' | 'read'

/** Undefined where the statement needs a transaction. `returned` promises what a SELECT would show afterwards. */
export type LoneWrites = (change: RowChange, table: string) => LoneEcho | undefined

/** Where every statement can give its row back: those of the tables on which it shows what is stored in the end. */
export const givingBack =
  (plain: ReadonlySet<string>): LoneWrites =>
  (_change, table) =>
    plain.has(table) ? 'returned' : undefined

/** The dialect, knowing it. */
export async function withLoneWrites(
  db: AnyDatabase,
  dialect: InternalDialect,
  tables: readonly DialectTable[],
): Promise<InternalDialect> {
  const loneWrites = await dialect.shortcuts?.lookUpLoneWrites?.(db, tables)
  return loneWrites === undefined
    ? dialect
    : { ...dialect, shortcuts: { ...dialect.shortcuts, loneWrites } }
}
