// Compares the primary key and the unique sets of a model with the keys of its table.

import type { CatalogueTable } from '../dialect/shared/catalogue.ts'
import type { Resource } from '../registry/resource.ts'
import { type DatabaseSchema, findColumn, includesAll, isUnique } from './database-schema.ts'
import type { Difference } from './difference.ts'

export function* compareKeys(
  { name, table: tableName, primaryKey, uniqueKeys }: Resource,
  table: CatalogueTable,
  schema: DatabaseSchema,
): Generator<Difference> {
  const place = { model: name, table: tableName }
  const declared = primaryKey.map(({ dbName }) => dbName)
  if (declared.length > 0 && !isKey(schema, table, declared)) {
    yield { kind: 'primary key', ...place, declared, found: table.primaryKey }
  }
  for (const set of uniqueKeys) {
    const columns = set.map(({ dbName }) => dbName)
    if (set === primaryKey || columns.length === 0 || isUnique(schema, table, columns)) continue
    yield {
      kind: 'unique',
      ...place,
      fields: set.map((column) => column.name),
      columns,
      relation: undefined,
    }
  }
}

/** Whether the columns are the primary key of the table, or unique and never NULL. */
function isKey(
  schema: DatabaseSchema,
  table: CatalogueTable,
  declared: readonly string[],
): boolean {
  const isDeclared = (key: readonly string[]): boolean =>
    key.length === declared.length && includesAll(schema, declared, key)
  if (isDeclared(table.primaryKey)) return true
  return table.uniqueKeys.some(
    (key) =>
      isDeclared(key) && key.every((name) => findColumn(schema, table, name)?.nullable === false),
  )
}
