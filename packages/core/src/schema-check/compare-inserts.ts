// Finds columns that a new row requires but nothing fills: inserts then always fail.

import type { CatalogueColumn, CatalogueTable } from '../dialect/shared/catalogue.ts'
import { unwritable } from '../registry/field-rules.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { type DatabaseSchema, sameColumn } from './database-schema.ts'
import type { Difference } from './difference.ts'

/** Whether the database fills the column if an INSERT omits it. */
const isFilled = ({ nullable, hasDefault, generated, readOnly }: CatalogueColumn): boolean =>
  nullable || hasDefault || generated || readOnly

/** Compares how a declared column and the database fill omitted values. */
export function* compareFilling(
  { resource, creates }: { readonly resource: Resource; readonly creates: boolean },
  column: NamedColumn,
  found: CatalogueColumn,
): Generator<Difference> {
  const place = { model: resource.name, table: resource.table }
  const at = { ...place, column, found: found.declared }
  const { generated, hasDefault, managed, default: own } = column.definition
  if (found.readOnly) {
    if (isWritten(resource, column)) yield { kind: 'computed', ...at }
    return
  }
  if (generated === true) {
    if (!found.generated && !found.hasDefault) yield { kind: 'not generated', ...at }
    return
  }
  if (hasDefault === true && !found.hasDefault && !found.generated) {
    yield { kind: 'no default', ...at }
    return
  }
  const sent = generated !== undefined || managed !== undefined || own !== undefined
  if (!creates || sent || isFilled(found) || resource.settings.hooks.post.add !== undefined) return
  const because =
    unwritable(resource, column, 'create') ?? (column.hidden ? 'is hidden' : undefined)
  // The service itself writes the soft delete attribute.
  if (because === undefined || because.startsWith('is set by')) return
  const field = { name: column.name, because }
  yield { kind: 'never filled', ...place, name: column.dbName, found: found.declared, field }
}

/** Whether the service sends a value of the column with a new record. */
function isWritten(resource: Resource, column: NamedColumn): boolean {
  const { generated, managed, default: own } = column.definition
  if (managed !== undefined || own !== undefined || generated === 'uuid') return true
  return !column.hidden && unwritable(resource, column, 'create') === undefined
}

/** Columns that the model does not declare. */
export function* undeclaredColumns(
  { name: model, table: tableName, allColumns }: Resource,
  { columns }: CatalogueTable,
  schema: DatabaseSchema,
): Generator<Difference> {
  const declared = [...allColumns.values()].filter(({ computed }) => computed === undefined)
  for (const found of columns) {
    if (isFilled(found)) continue
    if (declared.some(({ dbName }) => sameColumn(schema, dbName, found.name))) continue
    const { name } = found
    yield {
      kind: 'never filled',
      model,
      table: tableName,
      name,
      found: found.declared,
      field: undefined,
    }
  }
}
