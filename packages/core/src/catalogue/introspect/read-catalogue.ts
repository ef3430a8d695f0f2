// Reads by the reader of the database, and waits while another process has locked it (withReader): the tables that `introspect` makes
// models of (readCatalogue), and the schemas that it could read (schemasWithTables).

import type { Kysely } from 'kysely'
import { lockedBy, retryWhileLocked } from '../../database/statements/lock-retry.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type CatalogueReader, catalogueReaderOf } from '../catalogue-reader.ts'
import type { CatalogueTable, SchemaSize } from '../shared/catalogue.ts'

/** How long to wait for a lock on the whole database, such as a SQLite file, in milliseconds. */
const lockDeadline = 5_000

/** Reads every table of each schema, sorted by name, with its columns and keys; without schemas, of the connection's default schema. */
export async function readCatalogue(
  db: AnyDatabase,
  schemas: readonly string[],
): Promise<CatalogueTable[]> {
  if (schemas.length <= 1) return readSchema(db, schemas[0])
  const tables: CatalogueTable[] = []
  for (const schema of schemas) {
    const own = await readSchema(db, schema)
    tables.push(...own.map((table) => qualified(table, schema, schemas)))
  }
  return tables
}

async function readSchema(db: AnyDatabase, schema: string | undefined): Promise<CatalogueTable[]> {
  const tables = await withReader(db, (plain, reader) => reader.read(plain, schema))
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Lists the schemas (on MySQL and MariaDB: the databases) in which this user can see tables or views, each with the number of them,
 * except the system schemas of the server. For `introspect(db, { schema })`.
 *
 * ```ts
 * await schemasWithTables(db) // [{ schema: 'billing', tables: 12, isOwn: false }, { schema: 'public', tables: 30, isOwn: true }]
 * ```
 */
export const schemasWithTables = (
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
): Promise<readonly SchemaSize[]> => withReader(db, (plain, reader) => reader.schemas(plain))

/** Reads from the catalogue with the reader of the database, and again while another process has locked the database, for up to 5 s. */
export function withReader<T>(
  db: AnyDatabase,
  read: (plain: AnyDatabase, reader: CatalogueReader) => Promise<T>,
): Promise<T> {
  // Without plugins, because a plugin may rewrite the column aliases of these statements.
  const plain = db.withoutPlugins()
  const reader = catalogueReaderOf(plain)
  return retryWhileLocked(() => read(plain, reader), lockedBy(reader), { deadline: lockDeadline })
}

/**
 * Qualifies the name of a table by its schema, and the names of the tables that its foreign keys refer to, if their schemas are
 * read too.
 */
function qualified(
  table: CatalogueTable,
  schema: string,
  schemas: readonly string[],
): CatalogueTable {
  const { projection } = table
  return {
    ...table,
    name: `${schema}.${table.name}`,
    place: { schema, table: table.name },
    ...(projection && { projection: { ...projection, table: `${schema}.${projection.table}` } }),
    foreignKeys: table.foreignKeys.map(({ schema: other = schema, ...foreignKey }) => {
      // MySQL and MariaDB may spell a database in lower case.
      const read = schemas.find((name) => name.toLowerCase() === other.toLowerCase())
      return read === undefined
        ? { ...foreignKey, schema: other }
        : { ...foreignKey, table: `${read}.${foreignKey.table}` }
    }),
  }
}
