// readColumns: the columns of one table in the catalogue → the columns of its model, with notes for the reader of the models.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { Column } from '../../model/column.ts'
import { fits } from '../../model/column-types.ts'
import { canBeKey } from '../../model/type-rules.ts'
import type { CatalogueColumn, CatalogueTable, ColumnShape } from '../shared/catalogue.ts'
import { isCredential } from './credential-columns.ts'
import { fieldNames, inOtherAlphabet } from './model-names.ts'

/** The declared columns of one table. */
export interface ReadColumns {
  /** By field name, in the table's order. */
  readonly columns: Readonly<Record<string, Column>>
  /** Field names by column name. */
  readonly fields: ReadonlyMap<string, string>
  /** Names of columns that look like credentials; they are hidden, unless they are keys. */
  readonly credentials: readonly string[]
  /** Pairs of a column name and a sentence about the column. */
  readonly notes: readonly (readonly [string, string])[]
}

/** Declares each column that a column type can represent. */
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
    const note = noteOf(column, column.shape)
    if (note !== undefined) notes.push([column.name, note])
    if (field !== column.name) notes.push([column.name, `called ${field} in requests`])
    const key = table.primaryKey.includes(column.name)
    const isSecret = isCredential(table, column)
    if (isSecret) credentials.push(column.name)
    const { shape } = column
    columns[field] = declaredColumn(table, column, { shape, field, hidden: isSecret && !key })
  }
  return { columns, fields, credentials, notes }
}

const whyLeftOut = (column: CatalogueColumn): string =>
  withRequirement(column, column.note ?? `type ${column.databaseType} is not supported`)

/** Returns the note of a declared column, if it has one; `opaque` columns get a note that they cannot be written. */
function noteOf(column: CatalogueColumn, shape: Column): string | undefined {
  if (shape.type !== 'opaque') return column.note
  const why = column.note ?? `type ${column.databaseType} has no column type of its own`
  return withRequirement(column, `${why}, so it is served as text and cannot be written`)
}

/** Extends the note `why`: if the column is required and has no default, the API cannot create records. */
function withRequirement(column: CatalogueColumn, why: string): string {
  const required = !column.nullable && !column.hasDefault && !column.generated && !column.readOnly
  return required ? `${why}; it is required, so records cannot be created` : why
}

/** What is decided about a column besides its catalogue entry. */
interface Declaration {
  readonly shape: Column
  /** The name of the field, which the declaration pairs with the column's name if they differ. */
  readonly field: string
  readonly hidden: boolean
}

/** `{ type: 'string', maxLength: 80, column: 'unit price', nullable: true }` */
function declaredColumn(
  table: CatalogueTable,
  column: CatalogueColumn,
  { shape, field, hidden }: Declaration,
): Column {
  const key = table.primaryKey.includes(column.name)
  const unique =
    canBeKey(shape) &&
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
    ...(hidden ? {} : defaultOf(column, shape)),
    ...(column.readOnly || shape.readOnly ? { readOnly: true } : {}),
    // `false`: the name may look like a credential's, but it is none, so `credentialWarnings` must not warn.
    ...(hidden ? { hidden: true } : column.credential === false ? { hidden: false } : {}),
    ...descriptionOf(column, field),
  }
}

/** Returns the value of the default, if it fits the type that the column is declared with. */
const defaultOf = (
  { hasDefault, databaseDefault: value }: CatalogueColumn,
  shape: ColumnShape,
): { databaseDefault?: JsonValue } =>
  hasDefault && value !== undefined && fits(shape, value) ? { databaseDefault: value } : {}

/** A name in another alphabet becomes the description of its column, unless the database has a comment. */
function descriptionOf(
  { name, description }: CatalogueColumn,
  field: string,
): { description?: string } {
  const own = description ?? (field === name ? undefined : inOtherAlphabet(name))
  return own === undefined ? {} : { description: own }
}
