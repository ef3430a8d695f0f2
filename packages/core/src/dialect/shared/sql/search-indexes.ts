// Finds which of the full-text indexes that models declare exist in the database, when the dialect connects (searchIndexes). The
// files of the databases then write the query: those of PostgreSQL and MySQL by wordsOf and keysWhere, that of SQLite by quoting the words.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { tableOf } from '../../../lib/sql/table-name.ts'
import type { DialectTable, SearchIndex } from '../../../model/dialect-column.ts'
import type { InternalDialect } from '../../internal-dialect.ts'
import type { Ref } from './sql-parts.ts'

/** How searches use the declared indexes. */
export interface SearchIndexes {
  /** A warning for `onWarning` for each index that cannot be used. */
  readonly advice: readonly string[]
  readonly foundByIndex: NonNullable<InternalDialect['foundByIndex']>
}

/**
 * Looks for each declared index; `missing` queries the database and returns what is wrong with the index, or undefined. `found` compiles
 * the query of the keys that the index finds.
 */
export async function searchIndexes(
  tables: readonly DialectTable[],
  missing: (search: SearchIndex) => Promise<string | undefined>,
  found: (search: SearchIndex, words: readonly string[]) => Fragment,
): Promise<SearchIndexes> {
  const usable = new Set<SearchIndex>()
  const advice: string[] = []
  for (const { search } of tables) {
    if (search === undefined) continue
    const wrong = await missing(search)
    if (wrong === undefined) usable.add(search)
    else advice.push(`Searches of "${search.table}" read every row: ${wrong}`)
  }
  return {
    advice,
    foundByIndex: (search, words) => (usable.has(search) ? found(search, words) : undefined),
  }
}

/**
 * Returns each run of letters, marks such as accents, digits and underscores in the words of a request: `o'hara` → `o`, `hara`. The parsers
 * of the databases split text in the same way, and no character in such a run is a quote or an operator of their queries.
 */
export const wordsOf = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => word.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])

/** `select key from table where test` */
export const keysWhere = ({ schema, table, key }: SearchIndex, test: Ref): Fragment =>
  sql`select ${sql.join(key.map(({ dbName }) => sql.id(dbName)))} from ${tableOf({ schema, table })} where ${test}`
