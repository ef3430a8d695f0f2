// Columns: one catalogue column → one declared column, with notes for the reader.

import type { CatalogueColumn, CatalogueTable } from '../dialect/shared/catalogue.ts'
import type { Column } from '../model/column.ts'
import { looksLikeCredential } from '../model/credential-names.ts'
import { fieldNames } from './names.ts'

export interface ReadColumns {
  /** By field name, in the table's order. */
  readonly columns: Readonly<Record<string, Column>>
  /** Field names by column name. */
  readonly fields: ReadonlyMap<string, string>
  /** Names of columns that look like credentials; they are hidden, unless they are keys. */
  readonly credentials: readonly string[]
  /** Column name and sentence. */
  readonly notes: readonly (readonly [string, string])[]
}

export function readColumns(table: CatalogueTable): ReadColumns {
  const usable = table.columns.filter((column) => column.shape !== undefined)
  const fields = fieldNames(usable.map((column) => column.name))
  const columns: Record<string, Column> = {}
  const credentials: string[] = []
  const notes: [string, string][] = []
  for (const column of table.columns) {
    const field = fields.get(column.name)
    if (field === undefined || column.shape === undefined) {
      notes.push([column.name, `left out: ${whyLeftOut(column)}`])
      continue
    }
    if (column.note !== undefined) notes.push([column.name, column.note])
    if (field !== column.name) notes.push([column.name, `called ${field} in requests`])
    const key = table.primaryKey.includes(column.name)
    const isCredential = looksLikeCredential(column.name, column.shape.type)
    if (isCredential) credentials.push(column.name)
    columns[field] = declared(table, column, column.shape, field, isCredential && !key)
  }
  return { columns, fields, credentials, notes }
}

function whyLeftOut(column: CatalogueColumn): string {
  const why = column.note ?? `type ${column.declared} is not supported`
  const required = !column.nullable && !column.hasDefault && !column.generated && !column.readOnly
  return required ? `${why}; it is required, so records cannot be created` : why
}

function declared(
  table: CatalogueTable,
  column: CatalogueColumn,
  shape: Column,
  field: string,
  hidden: boolean,
): Column {
  const key = table.primaryKey.includes(column.name)
  const unique =
    table.uniqueKeys.some((set) => set.length === 1 && set[0] === column.name) &&
    !(key && table.primaryKey.length === 1)
  return {
    ...shape,
    ...(field === column.name ? {} : { column: column.name }),
    ...(key ? { primaryKey: true } : {}),
    ...(column.generated ? { generated: true } : {}),
    ...(column.nullable && !key ? { nullable: true } : {}),
    ...(unique ? { unique: true } : {}),
    ...(column.hasDefault ? { hasDefault: true } : {}),
    ...(column.readOnly ? { readOnly: true } : {}),
    ...(hidden ? { hidden: true } : {}),
    ...(column.description === undefined ? {} : { description: column.description }),
  }
}
