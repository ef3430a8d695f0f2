// Searches by a column of type tsvector in PostgreSQL, which is checked when the dialect connects: `?search=jane+aus` →
// `words @@ to_tsquery('english', $1)` with the value `'jane':* & 'aus':*`, which finds rows with a word that begins with `jane` and one
// that begins with `aus`.

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
import { quotedName } from './postgres-column-facts.ts'

/** Looks up the declared indexes, each a tsvector column of its table. */
export const postgresSearchIndexes = (
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SearchIndexes> =>
  searchIndexes(
    tables,
    async ({ schema, table, index, language }) => {
      const [found] = await rowsOf<{ vector: unknown; language: unknown }>(db)`
      select exists (select from pg_attribute a join pg_type y on y.oid = a.atttypid
          where a.attrelid = to_regclass(${quotedName(schema, table)}) and a.attname = ${index}
            and not a.attisdropped and y.typname = 'tsvector') as vector,
        exists (select from pg_ts_config where cfgname = ${language}) as language`
      if (found?.vector !== true) return `it has no column "${index}" of type tsvector.`
      return found.language === true
        ? undefined
        : `there is no text search configuration "${language}".`
    },
    foundByVector,
  )

/**
 * `foundByIndex` of the dialect. `to_tsquery` replaces the words of the request by those of the index, as the text search configuration of
 * the tsvector says: `running` by `run`. No word can end its quotes: `wordsOf` leaves only letters, marks, digits and `_`.
 */
function foundByVector(search: SearchIndex, words: readonly string[]): Fragment {
  const wanted = wordsOf(words).map((word) => `'${word}':*`)
  const query = sql`to_tsquery(${search.language}::regconfig, ${wanted.join(' & ')})`
  return keysWhere(search, sql`${sql.id(search.index)} @@ ${query}`)
}
