// Searches by an FTS5 table in SQLite, which is checked when the dialect connects: `?search=jane+aus` →
// `books_fts match '{"title"} : ("jane"* "aus"*)'`, which finds rows with a word that begins with `jane` and one that begins with `aus`.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { tableOf } from '../../lib/sql/table-name.ts'
import type { DialectTable, SearchIndex } from '../../model/dialect-column.ts'
import { type SearchIndexes, searchIndexes } from '../shared/sql/search-indexes.ts'

/** Looks up the declared indexes, each an FTS5 table whose rowid is the key. */
export const sqliteSearchIndexes = (
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SearchIndexes> =>
  searchIndexes(
    tables,
    async ({ schema = 'main', index, key, columns }) => {
      const [only, ...others] = key
      if (only?.type !== 'integer' || others.length > 0) {
        return 'an FTS5 table finds records by one primary key column of type integer.'
      }
      const rows = await rowsOf<{ name: unknown }>(db)`
      select p.name as name from ${sql.id(schema, 'sqlite_master')} m, pragma_table_info(m.name, ${schema}) p
      where m.name = ${index} and lower(m.sql) like 'create virtual table%using fts5%'`
      if (rows.length === 0) return `there is no FTS5 table "${index}".`
      const names = new Set(rows.map(({ name }) => String(name).toLowerCase()))
      const lacking = columns.find(({ dbName }) => !names.has(dbName.toLowerCase()))
      return lacking && `the FTS5 table "${index}" has no column "${lacking.dbName}".`
    },
    foundByFts,
  )

/** Finds the rows with words that begin with those of the request; quotes make each of these literal. Searches only the declared columns, even if the FTS5 table has more. */
function foundByFts({ schema, index, columns }: SearchIndex, words: readonly string[]): Fragment {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const names = columns.map(({ dbName }) => quoted(dbName)).join(' ')
  const wanted = `{${names}} : (${words.map((word) => `${quoted(word)}*`).join(' ')})`
  return sql`select rowid from ${tableOf({ schema, table: index })} where ${sql.id(index)} match ${wanted}`
}
