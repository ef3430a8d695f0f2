// Reads the tables of a database, waiting for another process that has locked it.

import type { Kysely } from 'kysely'
import { type CatalogueReader, catalogueReaderOf } from '../dialect/catalogue.ts'
import type { CatalogueTable, SchemaSize } from '../dialect/shared/catalogue.ts'
import { lockedBy, retryWhileLocked } from '../execute/lock-retry.ts'
import type { AnyDatabase } from '../sql/any-database.ts'

/** Milliseconds to wait for a lock on the whole database, such as that on a SQLite file. */
const lockDeadline = 5_000

/** Every table of the schemas with its columns and keys, sorted by schema and name; without schemas, of the connection's default schema. */
export async function readCatalogue(
  db: AnyDatabase,
  schemas: readonly string[],
): Promise<CatalogueTable[]> {
  if (schemas.length <= 1) return readSchema(db, schemas[0])
  const tables: CatalogueTable[] = []
  for (const schema of schemas) {
    const own = await readSchema(db, schema)
    tables.push(...own.map((table) => placed(table, schema, schemas)))
  }
  return tables
}

async function readSchema(db: AnyDatabase, schema: string | undefined): Promise<CatalogueTable[]> {
  const tables = await withReader(db, (plain, reader) => reader.read(plain, schema))
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The schemas (on MySQL and MariaDB: the databases) in which this user can see tables or views, with their number, excluding
 * those of the server itself. For `introspect(db, { schema })`.
 *
 * ```ts
 * await schemasWithTables(db) // [{ schema: 'billing', tables: 12, isOwn: false }, { schema: 'public', tables: 30, isOwn: true }]
 * ```
 */
export const schemasWithTables = (
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
): Promise<readonly SchemaSize[]> => withReader(db, (plain, reader) => reader.schemas(plain))

function withReader<T>(
  db: AnyDatabase,
  read: (plain: AnyDatabase, reader: CatalogueReader) => Promise<T>,
): Promise<T> {
  // Without plugins, because a plugin may rewrite the column aliases of these statements.
  const plain = db.withoutPlugins()
  const reader = catalogueReaderOf(plain)
  return retryWhileLocked(() => read(plain, reader), lockedBy(reader), { deadline: lockDeadline })
}

/** Qualifies the name of the table, and the names of its foreign keys' targets that are in the schemas being read. */
function placed(table: CatalogueTable, schema: string, schemas: readonly string[]): CatalogueTable {
  const { projection } = table
  return {
    ...table,
    name: `${schema}.${table.name}`,
    place: { schema, table: table.name },
    ...(projection && { projection: { ...projection, table: `${schema}.${projection.table}` } }),
    foreignKeys: table.foreignKeys.map(({ schema: other = schema, ...foreignKey }) => {
      // MySQL and MariaDB may spell a database in lower case.
      const read = schemas.find((one) => one.toLowerCase() === other.toLowerCase())
      return read === undefined
        ? { ...foreignKey, schema: other }
        : { ...foreignKey, table: `${read}.${foreignKey.table}` }
    }),
  }
}
