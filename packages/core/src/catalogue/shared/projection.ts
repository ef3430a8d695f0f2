// Finds the columns of one table that a view shows, so that introspection can give the view the keys of the table. The table must be in the
// schema that is read.

import type { Projection } from './catalogue.ts'
import { everyColumn, type ViewQuery } from './view-query.ts'

/** A table or view with the names of its columns, in the order of the catalogue. */
interface Named {
  readonly columns: readonly string[]
}

/** Returns the table and its columns that the view shows; undefined if the table is unknown or the view has another number of columns. */
export function projectionOf(
  query: ViewQuery,
  view: Named,
  base: Named | undefined,
): Projection | undefined {
  if (base === undefined) return undefined
  const columns = query.columns.flatMap((column): readonly (string | null)[] =>
    column === everyColumn ? base.columns : [column],
  )
  return columns.length === view.columns.length ? { table: query.table, columns } : undefined
}
