// TableIndex: an index of a table. The check at start-up advises to add one where the service looks for rows by columns without an index.

export interface TableIndex {
  readonly table: string
  /** The columns in their order; an empty string for an expression. */
  readonly columns: readonly string[]
}

/** A column of an index, as the catalogue queries return it. */
export interface IndexRow {
  readonly table: string
  readonly index: string
  /** Null for an expression. */
  readonly column: string | null
}

/** Makes indexes of rows that are ordered by table, index and position. */
export function indexesOf(rows: readonly IndexRow[]): readonly TableIndex[] {
  const found = new Map<string, { readonly table: string; readonly columns: string[] }>()
  for (const { table, index, column } of rows) {
    const key = JSON.stringify([table, index])
    const known = found.get(key) ?? { table, columns: [] }
    known.columns.push(column ?? '')
    found.set(key, known)
  }
  return [...found.values()]
}
