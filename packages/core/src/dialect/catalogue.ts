// Selects the catalogue reader of a Kysely instance's database.

import type { AnyDatabase } from '../sql/any-database.ts'
import type { Dialect } from './dialect.ts'
import { mysqlSchemas } from './mysql/catalogue-schemas.ts'
import { readMysqlSchema } from './mysql/catalogue-session.ts'
import { classifyMysql } from './mysql/errors.ts'
import { postgresSchemas } from './postgres/catalogue-schemas.ts'
import { readPostgresSchema } from './postgres/catalogue-session.ts'
import { classifyPostgres } from './postgres/errors.ts'
import type { CatalogueTable, SchemaSize } from './shared/catalogue.ts'
import { readSqlite } from './sqlite/catalogue.ts'
import { sqliteSchemas } from './sqlite/catalogue-schemas.ts'
import { classifySqlite } from './sqlite/errors.ts'

export interface CatalogueReader {
  /** Every table of a schema with its columns and keys; without a name, of the connection's default schema. */
  readonly read: (db: AnyDatabase, schema: string | undefined) => Promise<CatalogueTable[]>
  /** The schemas that have tables, without those of the server itself. */
  readonly schemas: (db: AnyDatabase) => Promise<readonly SchemaSize[]>
  readonly classify: Dialect['classify']
}

/** By the class name of Kysely's adapter, which third-party dialects reuse or extend. */
const readers: readonly (readonly [RegExp, CatalogueReader])[] = [
  [/^sqlite/i, { read: readSqlite, schemas: sqliteSchemas, classify: classifySqlite }],
  [
    /^postgres|^pglite/i,
    { read: readPostgresSchema, schemas: postgresSchemas, classify: classifyPostgres },
  ],
  [/^mysql|^mariadb/i, { read: readMysqlSchema, schemas: mysqlSchemas, classify: classifyMysql }],
]
export function catalogueReaderOf(db: AnyDatabase): CatalogueReader {
  for (const name of adapterNames(db.getExecutor().adapter)) {
    const reader = readers.find(([pattern]) => pattern.test(name))?.[1]
    if (reader !== undefined) return reader
  }
  throw new Error(
    'introspect reads SQLite, PostgreSQL, MySQL and MariaDB. For another database declare the models with defineModel.',
  )
}

/** The adapter's class name and those it extends. */
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
