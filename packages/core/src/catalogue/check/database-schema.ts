// DatabaseSchema: the tables that `read-schema.ts` has read, for the comparison with models. The functions look up tables and columns by
// name as the database compares names: some databases ignore letter case.

import type { TableName } from '../../lib/sql/table-name.ts'
import type { CatalogueColumn, CatalogueTable, PartialKey } from '../shared/catalogue.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'

/** A table, with its schema as the models name it. */
export interface SchemaTable extends CatalogueTable {
  /** Undefined for models that name no schema. */
  readonly schema: string | undefined
}

/** What was read of the database. */
export interface DatabaseSchema {
  /** The tables that the models name. */
  readonly tables: readonly SchemaTable[]
  /** The names of all tables of each schema in which a table is missing. The key is the schema as the models name it. */
  readonly names: ReadonlyMap<string | undefined, readonly string[]>
  /** Whether any table has a foreign key, including tables without a model; also false if there are no relations. */
  readonly hasForeignKeys: boolean
  /** Whether table names that differ only in case are the same name. */
  readonly foldsTables: boolean
  /** Whether column names that differ only in case are the same name. */
  readonly foldsColumns: boolean
  /** Whether a column of the database can hold and return the values of a declared column. */
  readonly holds: SchemaRules['holds']
  /** Describes in words a unique index on columns among the rows that fulfil a condition. */
  readonly indexAmong: SchemaRules['indexAmong']
  /** Whether a trigger can fill a required column that an INSERT omits. */
  readonly triggersFill: boolean
}

const same = (a: string, b: string, folds: boolean): boolean =>
  a === b || (folds && a.toLowerCase() === b.toLowerCase())

/** Returns the table that a model or relation names; a name that is equal in case takes precedence. */
export function findTable(
  { tables, foldsTables }: DatabaseSchema,
  { schema, table: name }: TableName,
): SchemaTable | undefined {
  const own = tables.filter((table) => table.schema === schema)
  return (
    own.find((table) => table.name === name) ??
    own.find((table) => same(table.name, name, foldsTables))
  )
}

/** Returns the names of all tables in the schema of a missing table. */
export const namesBeside = (
  { names }: DatabaseSchema,
  { schema }: Pick<TableName, 'schema'>,
): readonly string[] => names.get(schema) ?? []

/** Returns a column of a table by its name in the database. */
export function findColumn(
  { foldsColumns }: DatabaseSchema,
  table: CatalogueTable,
  name: string,
): CatalogueColumn | undefined {
  // An exact match takes precedence. A model may also declare SQLite's row id, which is not among the columns.
  return (
    table.columns.find((column) => column.name === name) ??
    [...table.columns, ...(table.rowIds ?? [])].find((column) =>
      same(column.name, name, foldsColumns),
    )
  )
}

export const sameTable = ({ foldsTables }: DatabaseSchema, a: string, b: string): boolean =>
  same(a, b, foldsTables)

export const sameColumnName = ({ foldsColumns }: DatabaseSchema, a: string, b: string): boolean =>
  same(a, b, foldsColumns)

/** Whether every name of `names` is in `columns`. */
export const includesAll = (
  schema: DatabaseSchema,
  columns: readonly string[],
  names: readonly string[],
): boolean => names.every((name) => columns.some((column) => sameColumnName(schema, column, name)))

/**
 * Whether the table is a view or foreign table. Views have no keys, and the database does not know which of their columns may be
 * NULL.
 */
export const isView = ({ kind }: CatalogueTable): boolean => kind !== undefined

/** Whether the columns are unique, according to the keys of the table. */
export function isUnique(
  schema: DatabaseSchema,
  { primaryKey, uniqueKeys, rowIds = [] }: CatalogueTable,
  columns: readonly string[],
): boolean {
  return [primaryKey, ...uniqueKeys, ...rowIds.map(({ name }) => [name])].some(
    (key) => key.length > 0 && includesAll(schema, columns, key),
  )
}

/** Returns the partial unique indexes by which the columns are unique, each among the rows that fulfil its condition. */
export const partialKeysOf = (
  schema: DatabaseSchema,
  { partialKeys }: CatalogueTable,
  columns: readonly string[],
): readonly PartialKey[] =>
  partialKeys.filter((key) => key.columns.length > 0 && includesAll(schema, columns, key.columns))
