// TableName: a table in the database, by its name and its schema.

import { type Fragment, sql } from './fragment.ts'

/** A table of the database, such as `{ schema: 'stock', table: 'books' }`. */
export interface TableName {
  /** The database schema (on MySQL and MariaDB: the database); undefined: the connection's default. */
  readonly schema: string | undefined
  readonly table: string
}

/** Returns the identifier of a table, qualified by its schema if it has one. */
export const tableOf = ({ schema, table }: TableName): Fragment =>
  schema === undefined ? sql.id(table) : sql.id(schema, table)

/** Returns a key of a map, `5:stockbooks`, that is equal for two names only if they name the same table; cheaper than JSON. */
export const tableKey = ({ schema, table }: TableName): string =>
  schema === undefined ? `-${table}` : `${schema.length}:${schema}${table}`
