// Columns that look like credentials, and those of which the option `publish` says that they are none.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { looksLikeCredential } from '../../model/credential-names.ts'
import { type CatalogueColumn, type CatalogueTable, ownName } from '../shared/catalogue.ts'

/** Whether a column looks like a credential, and the option `publish` does not say that it is none. */
export const isCredential = (table: CatalogueTable, column: CatalogueColumn): boolean =>
  column.credential ?? looksLikeCredential(column.name, column.shape?.type, ownName(table))

/** Marks the tables and columns of the option `publish` as no credentials; throws for a name that does not exist. */
export function withPublished(
  tables: readonly CatalogueTable[],
  publish: readonly string[],
): readonly CatalogueTable[] {
  const known = tables.flatMap(({ name, columns }) => [
    name,
    ...columns.map((column) => `${name}.${column.name}`),
  ])
  const unknown = publish.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(
      `publish: there is no table or column "${unknown}".${didYouMean(unknown, known)}`,
    )
  }
  const names = new Set(publish)
  const noCredential = { credential: false }
  return tables.map((table) => ({
    ...table,
    ...(names.has(table.name) ? noCredential : {}),
    columns: table.columns.map((column) =>
      names.has(`${table.name}.${column.name}`) ? { ...column, ...noCredential } : column,
    ),
  }))
}
