// Which columns SQLite can build JSON from: stored columns, on an SQLite whose JSON functions work as expected.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { sql } from '../../sql/fragment.ts'
import { rowsOf } from '../../sql/statement.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import { classifySqlite } from './errors.ts'

/**
 * Columns that a table stores. Values computed by a view, a virtual table or the model are excluded: SQLite may mark them
 * as JSON and would then not quote them. Empty on a service that only resembles SQLite, or whose JSON differs.
 */
export async function heldColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlySet<DialectColumn>> {
  try {
    if (!(await writesTexts(db))) return new Set()
    const held = await namesOfHeld(db, tables[0]?.schema ?? 'main')
    return new Set(
      tables.flatMap(({ table, columns }) =>
        columns.filter(
          ({ dbName, computed }) => computed === undefined && held.has(nameOf(table, dbName)),
        ),
      ),
    )
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return new Set()
    throw error
  }
}

/** SQLite's names ignore the case of ASCII letters. */
export const nameOf = (table: unknown, column: unknown): string =>
  `${table}\n${column}`.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

async function namesOfHeld(db: AnyDatabase, schema: string): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ readonly t: unknown; readonly c: unknown }>(db)`
    select m.name as t, p.name as c
    from ${sql.id(schema, 'sqlite_master')} m, pragma_table_xinfo(m.name, ${schema}) p
    where m.type = 'table' and lower(m.sql) not like 'create virtual%' and p.hidden in (0, 3)
      and not exists (select 1 from sqlite_temp_master s where lower(s.name) = lower(m.name))`
  return new Set(rows.map(({ t, c }) => nameOf(t, c)))
}

const given = 'quote " back \\ tab \t line \n unit \u001f delete \u007f ß € 😀 \u2028 %s'

/** A sample of every construct in the JSON that SQLite builds; with UTF-16 encoding, lone surrogates differ. */
async function writesTexts(db: AnyDatabase): Promise<boolean> {
  const rows = await rowsOf<{ readonly text: unknown }>(db)`
    select printf(${'{"a":%s,"b":"%.2f","c":%s%%,"d":%s,"e":"%s"'}, json_quote(${given}),
      round(cast('-0.29' as real) * 100) / 100, 9007199254740991, json_quote(null),
      replace('2024-01-02 03:04:05', ' ', 'T')) as text
    where (select encoding from pragma_encoding) = 'UTF-8'`
  return (
    rows[0]?.text ===
    `{"a":${JSON.stringify(given)},"b":"-0.29","c":9007199254740991%,"d":null,"e":"2024-01-02T03:04:05"`
  )
}
