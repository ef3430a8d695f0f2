// Which columns SQLite can write texts of: those that tables hold, where texts are written as we expect.

import { sql } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import { classifySqlite } from './errors.ts'

/**
 * Columns that a table holds: nothing computed by a view, a virtual table or the model, whose values may be marked as JSON
 * and would then not be quoted. A service that only resembles SQLite has none, nor has one that writes otherwise.
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

/** Names ignore the case of ASCII letters. */
export const nameOf = (table: unknown, column: unknown): string =>
  `${table}\n${column}`.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

async function namesOfHeld(db: AnyDatabase, schema: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ readonly t: unknown; readonly c: unknown }>`
    select m.name as t, p.name as c
    from ${sql.id(schema, 'sqlite_master')} m, pragma_table_xinfo(m.name, ${schema}) p
    where m.type = 'table' and lower(m.sql) not like 'create virtual%' and p.hidden in (0, 3)
      and not exists (select 1 from sqlite_temp_master s where lower(s.name) = lower(m.name))`.execute(
    db,
  )
  return new Set(rows.map(({ t, c }) => nameOf(t, c)))
}

const given = 'quote " back \\ tab \t line \n unit \u001f delete \u007f ß € 😀 \u2028 %s'

/** Some of everything that object texts are made of. Where texts are kept as UTF-16, halves of pairs are read otherwise. */
async function writesTexts(db: AnyDatabase): Promise<boolean> {
  const { rows } = await sql<{ readonly text: unknown }>`
    select printf(${'{"a":%s,"b":"%.2f","c":%s%%,"d":%s,"e":"%s"'}, json_quote(${given}),
      round(cast('-0.29' as real) * 100) / 100, 9007199254740991, json_quote(null),
      replace('2024-01-02 03:04:05', ' ', 'T')) as text
    where (select encoding from pragma_encoding) = 'UTF-8'`.execute(db)
  return (
    rows[0]?.text ===
    `{"a":${JSON.stringify(given)},"b":"-0.29","c":9007199254740991%,"d":null,"e":"2024-01-02T03:04:05"`
  )
}
