// Searches by a FULLTEXT index in MySQL and MariaDB: `?search=jane+aus` → `match (title, text) against ('+jane* +aus*' in boolean mode)`,
// which finds rows with a word that begins with `jane` and one that begins with `aus`. The index is checked when the dialect connects.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectTable, SearchIndex } from '../../model/dialect-column.ts'
import {
  keysWhere,
  type SearchIndexes,
  searchIndexes,
  wordsOf,
} from '../shared/sql/search-indexes.ts'

/** Looks up the declared indexes. */
export const mysqlSearchIndexes = (
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SearchIndexes> =>
  searchIndexes(
    tables,
    async ({ schema, table, index, columns }) => {
      const inSchema = schema === undefined ? sql`database()` : sql`${schema}`
      const rows = await rowsOf<{ name: unknown }>(db)`
      select column_name as name from information_schema.statistics
      where table_schema = ${inSchema} and table_name = ${table} and index_name = ${index} and index_type = 'FULLTEXT'`
      if (rows.length === 0) return `it has no FULLTEXT index "${index}".`
      const names = (all: readonly unknown[]): string =>
        all
          .map((name) => String(name).toLowerCase())
          .sort()
          .join(', ')
      const declared = names(columns.map(({ dbName }) => dbName))
      const indexed = names(rows.map(({ name }) => name))
      return declared === indexed
        ? undefined
        : `the FULLTEXT index "${index}" covers ${indexed}, and the model searches ${declared}.`
    },
    foundByMatch,
  )

/**
 * `foundByIndex` of the dialect. The words contain no operator of the boolean mode: `wordsOf` leaves only letters, marks, digits and `_`.
 */
function foundByMatch(search: SearchIndex, words: readonly string[]): Fragment {
  const names = sql.join(search.columns.map(({ dbName }) => sql.id(dbName)))
  const wanted = wordsOf(words)
    .map((word) => `+${word}*`)
    .join(' ')
  return keysWhere(search, sql`match (${names}) against (${wanted} in boolean mode)`)
}
