// Compares the primary key and the unique sets of a model with the keys of its table.

import type { RowCondition } from '../../dialect/shared/sql/row-condition.ts'
import { columnTypes } from '../../model/column-types.ts'
import { isWriteOnly } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { SoftDeleteSettings } from '../../model/settings/settings.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { type ActiveRows, activeCondition, holdsForActive } from './active-rows.ts'
import {
  type DatabaseSchema,
  findColumn,
  includesAll,
  isUnique,
  partialKeysOf,
  sameColumnName,
} from './database-schema.ts'
import type { Difference } from './difference.ts'

/** Yields a difference for each key that the model declares and the table does not enforce, and for unique keys that reveal write-only columns. */
export function* compareKeys(
  resource: Resource,
  table: CatalogueTable,
  schema: DatabaseSchema,
): Generator<Difference> {
  const { name, table: tableName, primaryKey, uniqueKeys } = resource
  const active = activeRowsOf(resource, table, schema)
  const place = { model: name, table: tableName }
  const declared = primaryKey.map(({ dbName }) => dbName)
  if (declared.length > 0 && !isKey(schema, table, declared)) {
    yield { kind: 'primary key', ...place, declared, found: table.primaryKey }
  }
  for (const set of uniqueKeys) {
    const columns = set.map(({ dbName }) => dbName)
    if (set === primaryKey || columns.length === 0 || isUnique(schema, table, columns)) continue
    const partial = partialKeysOf(schema, table, columns)
    if (active !== undefined && partial.some(({ rows }) => coversActive(schema, active, rows))) {
      continue
    }
    yield {
      kind: 'unique',
      ...place,
      fields: set.map((column) => column.name),
      columns,
      relation: undefined,
      partial: partial[0],
      // For the message: the index over active records alone, in words.
      indexOfActive: active && schema.indexAmong(columns, activeCondition(active)),
      softDelete: softDeleteFor(resource, table, schema, partial[0]?.rows),
    }
  }
  yield* uniqueWriteOnly(resource, table, schema)
}

/**
 * Reports unique keys with a write-only column: the 409 of a duplicate would tell clients which values are stored. A key that contains
 * the primary key is never the one that a new record repeats.
 */
function* uniqueWriteOnly(
  { name, table: tableName, allColumns, primaryKey }: Resource,
  { uniqueKeys, partialKeys }: CatalogueTable,
  schema: DatabaseSchema,
): Generator<Difference> {
  const declared = primaryKey.map(({ dbName }) => dbName)
  for (const columns of [...uniqueKeys, ...partialKeys.map((key) => key.columns)]) {
    if (declared.length > 0 && includesAll(schema, columns, declared)) continue
    for (const column of allColumns.values()) {
      if (!isWriteOnly(column) || !includesAll(schema, columns, [column.dbName])) continue
      const place = { model: name, table: tableName }
      yield { kind: 'unique write-only', ...place, field: column.name, columns }
    }
  }
}

/**
 * The soft delete of the model, if an index over its active records alone is enough. Without a primary key it is not: a list with
 * `include_deleted=true` tells its rows apart by their unique columns.
 */
function activeRowsOf(
  { settings: { softDelete }, primaryKey, allColumns }: Resource,
  table: CatalogueTable,
  schema: DatabaseSchema,
): ActiveRows | undefined {
  const column = allColumns.get(softDelete?.attribute ?? '')
  if (softDelete === null || column === undefined || primaryKey.length === 0) return undefined
  const found = findColumn(schema, table, column.dbName)
  return found && { softDelete, column, nullable: found.nullable }
}

/** Whether a partial index over these rows covers all active records. */
const coversActive = (
  schema: DatabaseSchema,
  active: ActiveRows,
  rows: RowCondition | undefined,
): boolean =>
  rows !== undefined &&
  sameColumnName(schema, rows.column, active.column.dbName) &&
  holdsForActive(active, rows)

/**
 * Returns the meta with which an index over these rows would cover all active records, for the remedy:
 * `soft_delete: true, soft_delete_attribute: 'deleted'`. Undefined if there is none, or if the model has soft delete.
 */
function softDeleteFor(
  { settings: { softDelete }, allColumns, primaryKey }: Resource,
  table: CatalogueTable,
  schema: DatabaseSchema,
  rows: RowCondition | undefined,
): string | undefined {
  if (softDelete !== null || rows === undefined || primaryKey.length === 0) return undefined
  const column = [...allColumns.values()].find(({ dbName }) =>
    sameColumnName(schema, rows.column, dbName),
  )
  const nullable = findColumn(schema, table, rows.column)?.nullable
  if (column === undefined || nullable === undefined) return undefined
  const covers = ({ active, deleted }: SoftDeleteValues): boolean => {
    const attribute = column.name
    return holdsForActive({ softDelete: { attribute, active, deleted }, column, nullable }, rows)
  }
  const found = usualValues(column).find(covers)
  return found && `soft_delete: true, soft_delete_attribute: '${column.name}'${found.meta}`
}

interface SoftDeleteValues extends Pick<SoftDeleteSettings, 'active' | 'deleted'> {
  /** How the values are written after the other keys of meta. */
  readonly meta: string
}

const now: readonly SoftDeleteValues[] = [
  { active: null, deleted: { kind: 'now' }, meta: ", soft_delete_values: [null, 'now']" },
]

const truths: readonly SoftDeleteValues[] = [
  { active: false, deleted: { kind: 'value', value: true }, meta: '' },
  {
    active: true,
    deleted: { kind: 'value', value: false },
    meta: ', soft_delete_values: [true, false]',
  },
]

/** The usual `soft_delete_values` in a column of the type. */
function usualValues({ type }: NamedColumn): readonly SoftDeleteValues[] {
  const { json, fromClock } = columnTypes[type]
  if (fromClock !== false) return now
  return json === 'boolean' ? truths : []
}

/** Whether the columns are the primary key of the table, or unique and never NULL. */
function isKey(
  schema: DatabaseSchema,
  table: CatalogueTable,
  declared: readonly string[],
): boolean {
  const isDeclared = (key: readonly string[]): boolean =>
    key.length === declared.length && includesAll(schema, declared, key)
  if ([table.primaryKey, ...(table.rowIds ?? []).map(({ name }) => [name])].some(isDeclared))
    return true
  return table.uniqueKeys.some(
    (key) =>
      isDeclared(key) && key.every((name) => findColumn(schema, table, name)?.nullable === false),
  )
}
