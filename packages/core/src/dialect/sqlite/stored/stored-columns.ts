// sqliteStoredColumns: which columns SQLite can build JSON from: stored columns, on an SQLite whose JSON functions work as expected. Looked
// up when the dialect connects.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import type { DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { tableColumns } from './table-columns.ts'

/**
 * Returns the columns that tables store. Excludes values computed by a view, a virtual table or the model: SQLite may mark them as
 * JSON, and json_quote would then not quote them. Empty if the database only resembles SQLite, or if its JSON differs.
 */
export async function sqliteStoredColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlySet<DialectColumn>> {
  if (!(await canWriteTexts(db))) return new Set()
  // 0 is an ordinary column, 3 a generated one that is stored.
  return tableColumns(db, tables, sql`p.hidden in (0, 3)`)
}

/** Whether the database writes the sample as expected; also false if it lacks a function that the sample uses. */
const canWriteTexts = (db: AnyDatabase): Promise<boolean> =>
  writesTexts(db).catch((error: unknown) => {
    if (classifySqlite(error).kind === 'other') return false
    throw error
  })

const sampleText = 'quote " back \\ tab \t line \n unit \u001f delete \u007f ß € 😀 \u2028 %s'

/** Tests a sample of every construct in the JSON that SQLite builds. Excludes databases in UTF-16, where lone surrogates differ. */
async function writesTexts(db: AnyDatabase): Promise<boolean> {
  const rows = await rowsOf<{ readonly text: unknown }>(db)`
    select printf(${'{"a":%s,"b":"%.2f","c":%s%%,"d":%s,"e":"%s"'}, json_quote(${sampleText}),
      round(cast('-0.29' as real) * 100) / 100, 9007199254740991, json_quote(null),
      replace('2024-01-02 03:04:05', ' ', 'T')) as text
    where (select encoding from pragma_encoding) = 'UTF-8'`
  return (
    rows[0]?.text ===
    `{"a":${JSON.stringify(sampleText)},"b":"-0.29","c":9007199254740991%,"d":null,"e":"2024-01-02T03:04:05"`
  )
}
