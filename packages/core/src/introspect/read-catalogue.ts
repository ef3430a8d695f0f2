// Reads the tables of a database, waiting for another process that has locked it.

import { catalogueReaderOf } from '../dialect/catalogue.ts'
import type { CatalogueTable } from '../dialect/shared/catalogue.ts'
import { lockedBy, retryWhileLocked } from '../execute/lock-retry.ts'
import type { AnyDatabase } from '../sql/any-database.ts'

/** Milliseconds to wait for a lock on the whole database, such as that on a SQLite file. */
const lockDeadline = 5_000

/** Every table of the schema with its columns and keys, sorted by name. */
export async function readCatalogue(
  db: AnyDatabase,
  schema: string | undefined,
): Promise<CatalogueTable[]> {
  // The user's plugins would rewrite the names that our statements give their columns.
  const plain = db.withoutPlugins()
  const reader = catalogueReaderOf(plain)
  const tables = await retryWhileLocked(() => reader.read(plain, schema), lockedBy(reader), {
    deadline: lockDeadline,
  })
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1))
}
