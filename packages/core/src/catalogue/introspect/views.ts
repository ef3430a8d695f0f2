// Views over one table: withBaseTables copies the properties of the table's columns, and its keys and foreign keys, to the view.
// `introspect` calls it before it chooses keys, and asks of each view and foreign table whether it can be read at all (whyUnreadable).

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { tableOf } from '../../lib/sql/table-name.ts'
import type { CatalogueColumn, CatalogueTable } from '../shared/catalogue.ts'

/**
 * Tests by a SELECT without rows whether a view or foreign table can be read, and returns why not: a table that it uses may be
 * missing, or the user may lack a privilege. Undefined if it can be read, and for ordinary tables, which are not tested.
 */
export async function whyUnreadable(
  db: AnyDatabase,
  { name, place, kind }: CatalogueTable,
  schema: string | undefined,
): Promise<string | undefined> {
  if (kind === undefined) return undefined
  const table = tableOf(place ?? { schema, table: name })
  try {
    await rowsOf(db.withoutPlugins())`select * from ${table} where 1 = 0`
    return undefined
  } catch (error) {
    return `a ${kind} that cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Completes views that show rows of one table, because the catalogue lacks some properties of views: the types of columns, which of
 * them are never NULL, and the primary, unique and foreign keys whose columns the view shows.
 */
export function withBaseTables(tables: readonly CatalogueTable[]): CatalogueTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const done = new Map<CatalogueTable, CatalogueTable>()
  // A view may be over a view. `path` are the views on the way here: SQLite allows views that read each other.
  const complete = (table: CatalogueTable, path: readonly CatalogueTable[]): CatalogueTable => {
    const known = done.get(table)
    if (known !== undefined) return known
    const base = byName.get(table.projection?.table ?? '')
    const isChain = base !== undefined && !path.includes(base)
    const own = isChain ? overBase(table, complete(base, [...path, table])) : table
    done.set(table, own)
    return own
  }
  return tables.map((table) => complete(table, [table]))
}

/** Completes a view by its table, which is complete itself. */
function overBase(view: CatalogueTable, base: CatalogueTable): CatalogueTable {
  // The view's column by the table's; `sources` is the reverse.
  const shown = new Map<string, string>()
  for (const [i, { name }] of view.columns.entries()) {
    const column = view.projection?.columns[i] ?? null
    // If a column is shown twice, the first one counts.
    if (column !== null && !shown.has(column)) shown.set(column, name)
  }
  const sources = new Map([...shown].map(([column, name]) => [name, column]))
  // Columns of the table → the view's names of them; undefined unless it shows all.
  const named = (columns: readonly string[]): string[] | undefined => {
    const names = columns.flatMap((column) => shown.get(column) ?? [])
    return names.length === columns.length ? names : undefined
  }
  const columns = view.columns.map((column) => {
    const source = base.columns.find(({ name }) => name === sources.get(column.name))
    return source === undefined ? column : columnOver(column, source)
  })
  return {
    ...view,
    columns,
    primaryKey: named(base.primaryKey) ?? [],
    uniqueKeys: base.uniqueKeys.flatMap((key) => {
      const names = named(key)
      return names === undefined ? [] : [names]
    }),
    foreignKeys: base.foreignKeys.flatMap((key) => {
      const own = named(key.columns)
      return own === undefined ? [] : [{ ...key, columns: own }]
    }),
  }
}

/** Gives a column of a view the properties of the table's column that it shows. */
function columnOver(column: CatalogueColumn, base: CatalogueColumn): CatalogueColumn {
  const { shape, nullable, description, checks, responsesLoseDigits } = base
  return {
    ...column,
    shape: shape ?? column.shape,
    nullable,
    checks: checks ?? column.checks,
    responsesLoseDigits,
    description: column.description ?? description,
  }
}
