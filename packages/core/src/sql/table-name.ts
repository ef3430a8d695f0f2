// TableName: a table in the database, by its own name and that of its schema.

import { type Fragment, sql } from './fragment.ts'

export interface TableName {
  /** The database schema (on MySQL and MariaDB: the database); undefined: where the connection looks by itself. */
  readonly schema: string | undefined
  readonly table: string
}

/** A table as it stands in a statement, qualified by its schema if it has one. */
export const tableOf = ({ schema, table }: TableName): Fragment =>
  schema === undefined ? sql.id(table) : sql.id(schema, table)

/** A text that two names share only if they name the same table. */
export const tableKey = ({ schema, table }: TableName): string => JSON.stringify([schema, table])
