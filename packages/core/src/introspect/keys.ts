// Picks the catalogue reader for the database at hand.

import type { AnyDatabase } from '../sql/any-database.ts'
import type { CatalogueTable } from './catalogue.ts'
import { readMysql } from './keys-mysql.ts'
import { readPostgres } from './keys-postgres.ts'
import { readSqlite } from './keys-sqlite.ts'

/** Kysely's adapters, which third-party drivers reuse or extend. */
const readers = [
  [/^sqlite/i, readSqlite],
  [/^postgres|^pglite/i, readPostgres],
  [/^mysql|^mariadb/i, readMysql],
] as const

/** Every table of the schema with its columns and keys, sorted by name. */
export async function readCatalogue(
  db: AnyDatabase,
  schema: string | undefined,
): Promise<CatalogueTable[]> {
  // The user's plugins would rewrite the names that our statements give their columns.
  const plain = db.withoutPlugins()
  for (const name of adapterNames(plain.getExecutor().adapter)) {
    const reader = readers.find(([pattern]) => pattern.test(name))?.[1]
    if (reader !== undefined) {
      const tables = await reader(plain, schema)
      return tables.sort((a, b) => (a.name < b.name ? -1 : 1))
    }
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
