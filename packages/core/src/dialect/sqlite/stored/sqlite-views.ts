// keysOfViews: the generated keys of new rows of views, which INSTEAD OF triggers of SQLite store, so that neither RETURNING nor the insert
// id tells them. Views are looked up when the dialect connects.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import { tableOf } from '../../../lib/sql/table-name.ts'
import type { DialectTable } from '../../../model/dialect-column.ts'
import type { InternalDialect } from '../../internal-dialect.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { amongTables } from './among-tables.ts'
import { bySchema } from './by-schema.ts'
import { foldedColumnKey } from './table-columns.ts'

/** Returns `keysOfView`; no table is a view if the database only resembles SQLite and hides its catalogue. */
export async function keysOfViews(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<NonNullable<InternalDialect['keysOfView']>> {
  const views = new Set<string>()
  try {
    for (const [schema, inSchema] of bySchema(tables)) {
      const among = amongTables(
        sql`name`,
        inSchema.map(({ table }) => table),
      )
      const rows = await rowsOf<{ readonly name: unknown }>(db)`
        select name from ${sql.id(schema, 'sqlite_master')} where type = 'view'${among}`
      for (const { name } of rows) views.add(foldedColumnKey(name, schema))
    }
  } catch (error) {
    if (classifySqlite(error).kind !== 'other') throw error
  }
  return (table, { dbName }) => {
    if (!views.has(foldedColumnKey(table.table, table.schema ?? 'main'))) return undefined
    const key = sql.id(dbName)
    const from = sql`from ${tableOf(table)}`
    return {
      largest: sql`(select cast(max(${key}) as text) ${from})`,
      countBeyond: (largest) =>
        largest === null
          ? sql`(select count(*) ${from})`
          : sql`(select count(*) ${from} where ${key} > cast(${largest} as integer))`,
    }
  }
}
