// SingleWrites: which writes of a row may be a single statement without a transaction, and how the written row is read back. Looked up
// when the dialect connects; `write/fusion` asks it.

import { type TableName, tableKey } from '../../../lib/sql/table-name.ts'
import type { DialectTable } from '../../../model/dialect-column.ts'

/** What one statement does to one row. */
export type RowChange = 'insert' | 'update' | 'delete'

/**
 * `returned`: RETURNING gives the written row as a SELECT would show it afterwards. `read`: a locking SELECT reads the row
 * afterwards; a DELETE only reports the number of deleted rows.
 */
export type SingleWriteEcho = 'returned' | 'read'

/** Returns how the written row is read back; undefined if the write needs a transaction. */
export type SingleWrites = (change: RowChange, table: TableName) => SingleWriteEcho | undefined

/** For databases where every write has RETURNING. On the tables in `plain`, RETURNING gives the row as it is finally stored. */
export function returningOnTables(plain: readonly DialectTable[]): SingleWrites {
  const keys = new Set(plain.map(keyOf))
  return (_change, table) => (keys.has(tableKey(table)) ? 'returned' : undefined)
}

const keyOf = ({ schema, table }: DialectTable): string => tableKey({ schema, table })
