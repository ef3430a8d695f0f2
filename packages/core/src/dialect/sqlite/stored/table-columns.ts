// tableColumns: finds which columns of the models are, in the database, columns of ordinary tables that have a given property, such as
// no default.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import type { DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { amongTables } from './among-tables.ts'
import { bySchema } from './by-schema.ts'

/**
 * Returns the columns that meet `condition`: SQL in which `m` is the table's row of `sqlite_master` and `p` the column's row of
 * `pragma_table_xinfo`.
 *
 * Excludes views, virtual tables, tables hidden by a temporary one, and columns that the model computes. Empty if the database only
 * resembles SQLite and does not let these be read.
 *
 * ```ts
 * await tableColumns(db, tables, sql`p.dflt_value is null`) // the columns without a DEFAULT
 * ```
 */
export async function tableColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
  condition: Fragment,
): Promise<ReadonlySet<DialectColumn>> {
  try {
    const found = new Set<DialectColumn>()
    for (const [schema, inSchema] of bySchema(tables)) {
      const names = await columnNames(db, schema, inSchema, condition)
      for (const { table, columns } of inSchema) {
        for (const column of columns) {
          if (column.computed === undefined && names.has(foldedColumnKey(table, column.dbName)))
            found.add(column)
        }
      }
    }
    return found
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return new Set()
    throw error
  }
}

async function columnNames(
  db: AnyDatabase,
  schema: string,
  inSchema: readonly DialectTable[],
  condition: Fragment,
): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ readonly t: unknown; readonly c: unknown }>(db)`
    select m.name as t, p.name as c
    from ${sql.id(schema, 'sqlite_master')} m, pragma_table_xinfo(m.name, ${schema}) p
    where m.type = 'table' and lower(m.sql) not like 'create virtual%' and ${condition}
      and not exists (select 1 from sqlite_temp_master s where lower(s.name) = lower(m.name))
      ${amongTables(
        sql`m.name`,
        inSchema.map(({ table }) => table),
      )}`
  return new Set(rows.map(({ t, c }) => foldedColumnKey(t, c)))
}

/** Returns the key of a column in a set. SQLite's names ignore the case of ASCII letters. */
export const foldedColumnKey = (table: unknown, column: unknown): string =>
  `${table}\n${column}`.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
