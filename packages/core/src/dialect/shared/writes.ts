// SingleWrites: which writes of a row may be a single statement without a transaction, and how the row is read back.

/** What one statement does to one row. */
export type RowChange = 'insert' | 'update' | 'delete'

/** How the written row is read back: by RETURNING, or by a locking SELECT afterwards; a deleted one is counted instead. */
export type SingleWriteEcho = 'returned' | 'read'

/** Undefined if the statement needs a transaction. `returned` means that RETURNING gives what a SELECT would show afterwards. */
export type SingleWrites = (change: RowChange, table: string) => SingleWriteEcho | undefined

/** For databases where every write has RETURNING: the tables on which it gives what is finally stored. */
export const givingBack =
  (plain: ReadonlySet<string>): SingleWrites =>
  (_change, table) =>
    plain.has(table) ? 'returned' : undefined
