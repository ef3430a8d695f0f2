// Finds which columns of one table a view shows, if the table is in the schema that is read.

import type { Projection } from './catalogue.ts'
import { all, type ViewQuery } from './view-query.ts'

/** Names of columns in the order of the catalogue. */
interface Named {
  readonly columns: readonly string[]
}

/** Undefined if the query and the catalogue disagree about the view's columns. */
export function projectionOf(
  query: ViewQuery,
  view: Named,
  base: Named | undefined,
): Projection | undefined {
  if (base === undefined) return undefined
  const columns = query.columns.flatMap((column): readonly (string | null)[] =>
    column === all ? base.columns : [column],
  )
  return columns.length === view.columns.length ? { table: query.table, columns } : undefined
}
