// Selects the catalogue reader of a Kysely instance's database, for `introspect`. It has no `Dialect` yet, so the class of Kysely's adapter
// tells which database it is. (The check of models at start-up has a dialect: see `schema-rules-of.ts`.)

import type { Dialect } from '../dialect/dialect.ts'
import { classifyMysql } from '../dialect/mysql/mysql-errors.ts'
import { classifyPostgres } from '../dialect/postgres/postgres-errors.ts'
import { classifySqlite } from '../dialect/sqlite/sqlite-errors.ts'
import type { AnyDatabase } from '../lib/sql/any-database.ts'
import { mysqlSchemas } from './mysql/mysql-catalogue-schemas.ts'
import { readMysqlSchema } from './mysql/mysql-catalogue-session.ts'
import { mysqlTableEstimates } from './mysql/mysql-table-estimates.ts'
import { postgresSchemas } from './postgres/postgres-catalogue-schemas.ts'
import { readPostgresSchema } from './postgres/postgres-catalogue-session.ts'
import { postgresTableEstimates } from './postgres/postgres-table-estimates.ts'
import type { CatalogueTable, SchemaSize, TableEstimate } from './shared/catalogue.ts'
import { readSqlite } from './sqlite/sqlite-catalogue.ts'
import { sqliteSchemas } from './sqlite/sqlite-catalogue-schemas.ts'
import { sqliteTables } from './sqlite/sqlite-tables.ts'

/** How the catalogue of one database is read. */
export interface CatalogueReader {
  /** Reads every table of `schema` (default: the connection's own) with its columns and keys. */
  readonly read: (db: AnyDatabase, schema: string | undefined) => Promise<CatalogueTable[]>
  /** Lists the schemas that have tables, except the server's system schemas. */
  readonly schemas: (db: AnyDatabase) => Promise<readonly SchemaSize[]>
  /** Lists the tables of `schema` that are no views, with the number of rows that the database expects. */
  readonly estimates: (
    db: AnyDatabase,
    schema: string | undefined,
  ) => Promise<readonly TableEstimate[]>
  /** Classifies an error of the driver; a read is repeated while the error is that another process has locked the database. */
  readonly classify: Dialect['classify']
}

/** The reader for each class name of a Kysely adapter. Third-party dialects reuse or extend Kysely's adapters. */
const readers: readonly (readonly [RegExp, CatalogueReader])[] = [
  [
    /^sqlite/i,
    {
      read: readSqlite,
      schemas: sqliteSchemas,
      estimates: sqliteTables,
      classify: classifySqlite,
    },
  ],
  [
    /^postgres|^pglite/i,
    {
      read: readPostgresSchema,
      schemas: postgresSchemas,
      estimates: postgresTableEstimates,
      classify: classifyPostgres,
    },
  ],
  [
    /^mysql|^mariadb/i,
    {
      // `samples`: stored values decide which `tinyint(1)` are booleans.
      read: (db, schema) => readMysqlSchema(db, { schema, samples: true }),
      schemas: mysqlSchemas,
      estimates: mysqlTableEstimates,
      classify: classifyMysql,
    },
  ],
]

/** Returns the reader; throws if no class name of the adapter is known. */
export function catalogueReaderOf(db: AnyDatabase): CatalogueReader {
  for (const name of adapterNames(db.getExecutor().adapter)) {
    const reader = readers.find(([pattern]) => pattern.test(name))?.[1]
    if (reader !== undefined) return reader
  }
  throw new Error(
    'introspect reads SQLite, PostgreSQL, MySQL and MariaDB. For another database declare the models with defineModel.',
  )
}

/** Returns the names of the adapter's class and of the classes that it extends, such as `['MyAdapter', 'PostgresAdapter', 'DialectAdapterBase', 'Object']`. */
function adapterNames(adapter: object): string[] {
  const names: string[] = []
  for (
    let type = Object.getPrototypeOf(adapter);
    type !== null;
    type = Object.getPrototypeOf(type)
  ) {
    names.push(type.constructor.name)
  }
  return names
}
