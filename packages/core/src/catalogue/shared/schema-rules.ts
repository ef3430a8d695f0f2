// SchemaRules: how the schema of a database is read and what its column types hold, for the comparison with the models at start-up
// (`check/comparison.ts`). Types only.

import type { RowCondition } from '../../dialect/shared/sql/row-condition.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts'
import type { TableIndex } from './table-index.ts'

/** A required column without a default, in an INSERT that omits it. */
export interface OmittedColumn {
  /** Undefined: the connection's default schema. */
  readonly schema: string | undefined
  readonly table: string
  /** The type of the column as the database writes it. */
  readonly found: string
}

/** A kind of statement on a table, and the columns that it sets or compares. */
export interface StatementOnTable extends TableName {
  readonly kind: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'
  readonly columns: readonly string[]
}

/**
 * Returns what the connection misses for a statement, such as `no such function: fold`; undefined if it misses nothing, or nothing beyond
 * what it missed for an earlier statement of the same check.
 */
export type LackedBy = (statement: StatementOnTable) => Promise<string | undefined>

/** What the check asks of one database; `mysql`, `postgres` and `sqlite` have an object of these each. */
export interface SchemaRules {
  /**
   * Reads the named tables of a schema (undefined: the connection's default schema). If the database ignores the case of names,
   * includes tables whose names differ from the given ones only in case.
   */
  readonly read: (
    db: AnyDatabase,
    schema: string | undefined,
    names: readonly string[],
  ) => Promise<CatalogueTable[]>
  /** The names of every table and view of a schema, for suggestions. */
  readonly tableNames: (db: AnyDatabase, schema: string | undefined) => Promise<readonly string[]>
  /** Whether any table of a schema has a foreign key. */
  readonly hasForeignKeys: (db: AnyDatabase, schema: string | undefined) => Promise<boolean>
  /** Further schemas in which the database looks for an unqualified name, in search order. */
  readonly furtherSchemas?: (db: AnyDatabase) => Promise<readonly string[]>
  /** The indexes of the named tables, partial ones included. */
  readonly indexes: (
    db: AnyDatabase,
    schema: string | undefined,
    tables: readonly string[],
  ) => Promise<readonly TableIndex[]>
  /** Whether table names that differ only in case are the same name. */
  readonly foldsTables: (db: AnyDatabase) => Promise<boolean>
  /** Whether column names that differ only in case are the same name. */
  readonly foldsColumns: boolean
  /** Whether a column of the database can hold and return the values of the declared type. */
  readonly holds: (declared: DialectColumn, found: CatalogueColumn) => boolean
  /** Describes a unique index on columns that covers only the rows that fulfil the condition, for advice in a message. */
  readonly indexAmong: (columns: readonly string[], rows: RowCondition) => string
  /** Finds what this connection misses for statements on the tables: functions and collations that each program registers itself. Absent if the database has all of them. */
  readonly lacks?: (db: AnyDatabase, tables: readonly TableName[]) => LackedBy
  /** Whether a trigger can fill a required column that an INSERT omits. */
  readonly triggersFill: boolean
  /**
   * Whether the database may still fill the omitted column, for example by a trigger; also true if this user cannot see whether it
   * does.
   */
  readonly mayFill: (db: AnyDatabase, column: OmittedColumn) => Promise<boolean>
}
