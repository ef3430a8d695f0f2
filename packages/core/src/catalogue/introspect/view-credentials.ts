// Credentials that views show under other names, as `select password_hash as word from users` does: found by the names in their queries.
// `introspect` hides the columns that this file marks.

import { grouped } from '../../lib/grouped.ts'
import { isCredentialTable, looksLikeCredential } from '../../model/credential-names.ts'
import { type CatalogueTable, ownName } from '../shared/catalogue.ts'
import { type NamesInView, namesInView } from '../shared/view-query.ts'

/** Tables and views by name in lower case; several schemas may have tables of the same name. */
type Known = ReadonlyMap<string, readonly CatalogueTable[]>

/**
 * Marks the columns of views whose expressions name a credential (`password_hash as word`), and the views that name a credential,
 * or a table of credentials, elsewhere: in a condition, a join, a subquery. A column marked this way is also a credential for the
 * views that read it.
 */
export function markCredentials(tables: readonly CatalogueTable[]): CatalogueTable[] {
  let marked = [...tables]
  // Each round marks the views that read a view marked in the previous round.
  for (let round = 0; round <= tables.length; round++) {
    const before = countMarks(marked)
    const known = grouped(marked, (table) => ownName(table).toLowerCase())
    marked = marked.map((table) => (table.query === undefined ? table : mark(table, known)))
    if (countMarks(marked) === before) break
  }
  return marked
}

const countMarks = (tables: readonly CatalogueTable[]): number =>
  tables.reduce(
    (sum, { credential, columns }) =>
      sum + Number(credential === true) + columns.filter((column) => column.credential).length,
    0,
  )

/** Marks what one view shows of credentials. */
function mark(view: CatalogueTable, known: Known): CatalogueTable {
  const { items, others }: NamesInView = namesInView(view.query ?? '')
  const allNames = [...others, ...(items ?? []).flat()]
  // The tables and views that it reads.
  const sources = allNames
    .flatMap((name) => known.get(name.toLowerCase()) ?? [])
    .filter(({ name }) => name !== view.name)
  const base = known.get(view.projection?.table.split('.').at(-1)?.toLowerCase() ?? '')?.[0]
  // The columns of the tables and views it reads that were marked in an earlier round.
  const renamed = new Set(
    sources.flatMap(({ columns }) =>
      columns.flatMap(({ name, credential }) => (credential ? [name.toLowerCase()] : [])),
    ),
  )
  // Whether each item of the select list belongs to one column of the view.
  const fits = items?.length === view.columns.length
  const columns = view.columns.map((column, i) => {
    const names = [column.name, ...((fits && items?.[i]) || [])]
    const type = column.shape?.type
    const shows = names.some(
      (name) =>
        renamed.has(name.toLowerCase()) || looksLikeCredential(name, type, base && ownName(base)),
    )
    return shows ? ({ ...column, credential: true } as const) : column
  })
  // The names that no column accounts for; one of a credential hides the whole view.
  const elsewhere = fits ? others : allNames
  const hides =
    sources.some(({ credential }) => credential === true) ||
    elsewhere.some((name) =>
      known.has(name.toLowerCase())
        ? isCredentialTable(name)
        : looksLikeCredential(name) || renamed.has(name.toLowerCase()),
    )
  return { ...view, columns, ...(hides ? { credential: true } : {}) }
}
