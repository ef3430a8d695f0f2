// Columns and tables whose names look like credentials: the columns are hidden, the tables are not published by `serve`.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { isCredentialTable, looksLikeCredential } from '../../model/credential-names.ts'
import { type CatalogueColumn, type CatalogueTable, ownName } from '../shared/catalogue.ts'
import type { Draft } from './relations/foreign-key-links.ts'

/** A table or a column whose name looks like a credential. */
export interface HeldBack {
  readonly table: string
  /**
   * The column, which is hidden. Absent if the entry is about the whole table: its name looks like a credential, or a key column
   * does, whose values would be in URLs. Give the model of such a table `meta` only after checking it.
   */
  readonly column?: string
}

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
  const none = { credential: false }
  return tables.map((table) => ({
    ...table,
    ...(names.has(table.name) ? none : {}),
    columns: table.columns.map((column) =>
      names.has(`${table.name}.${column.name}`) ? { ...column, ...none } : column,
    ),
  }))
}

/** Returns what looks like a credential: the table, some of its columns, or both. */
export function heldBackOf({ table, credentials }: Draft): readonly HeldBack[] {
  const isKey = (name: string): boolean => table.primaryKey.includes(name)
  const named = table.credential ?? isCredentialTable(ownName(table))
  const whole = named || credentials.some(isKey)
  const hidden = credentials.filter((name) => !isKey(name))
  return [
    ...(whole ? [{ table: table.name }] : []),
    ...hidden.map((column) => ({ table: table.name, column })),
  ]
}
