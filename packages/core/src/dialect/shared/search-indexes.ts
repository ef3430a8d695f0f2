// Finds which of the full-text indexes that models declare exist in the database.

import { type Fragment, sql } from '../../sql/fragment.ts'
import { tableOf } from '../../sql/table-name.ts'
import type { DialectTable, SearchIndex } from '../dialect.ts'
import type { Ref } from './sql-parts.ts'

/** The declared indexes that can be used, and a warning for each of the others. */
export interface SearchIndexes {
  readonly usable: ReadonlySet<SearchIndex>
  readonly advice: readonly string[]
}

/** Looks for each declared index; `missing` returns what is wrong with it, or undefined. */
export async function searchIndexes(
  tables: readonly DialectTable[],
  missing: (search: SearchIndex) => Promise<string | undefined>,
): Promise<SearchIndexes> {
  const usable = new Set<SearchIndex>()
  const advice: string[] = []
  for (const { search } of tables) {
    if (search === undefined) continue
    const wrong = await missing(search)
    if (wrong === undefined) usable.add(search)
    else advice.push(`Searches of "${search.table}" read every row: ${wrong}`)
  }
  return { usable, advice }
}

/** `select key from table where test` */
export const keysWhere = ({ schema, table, key }: SearchIndex, test: Ref): Fragment =>
  sql`select ${sql.join(key.map(({ dbName }) => sql.id(dbName)))} from ${tableOf({ schema, table })} where ${test}`
