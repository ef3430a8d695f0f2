// Single-statement writes on SQLite: the tables whose RETURNING gives what a SELECT would show afterwards. Looked up when the dialect
// connects.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectTable } from '../../model/dialect-column.ts'
import { returningOnTables, type SingleWrites } from '../shared/sql/single-writes.ts'
import { classifySqlite } from './sqlite-errors.ts'
import { amongTables } from './stored/among-tables.ts'
import { bySchema } from './stored/by-schema.ts'

/**
 * Allows ordinary tables without triggers, because triggers run after RETURNING. A table is excluded if a foreign key with an ON
 * UPDATE action refers to columns outside of its primary key, because the action may change the same row. Skips tables named
 * `_cf_…`, which Cloudflare's D1 forbids to read. Allows no table if the database only resembles SQLite and hides its catalogue.
 */
export async function sqliteSingleWrites(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SingleWrites> {
  try {
    const plain: DialectTable[] = []
    for (const [schema, inSchema] of bySchema(tables)) {
      const ordinary = await ordinaryTables(db, schema, inSchema)
      plain.push(...inSchema.filter(({ table }) => ordinary.has(folded(table))))
    }
    return returningOnTables(plain)
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return returningOnTables([])
    throw error
  }
}

/** Returns the name of a table in lower case, because SQLite ignores the case of ASCII letters in names. */
const folded = (name: unknown): string => String(name).toLowerCase()

/** `table`: an ordinary table. `other`: a table for which RETURNING may give another row. */
interface Declared {
  readonly kind: unknown
  readonly t: unknown
}

/** The names, in lower case, of the ordinary tables among those of one attached database. */
async function ordinaryTables(
  db: AnyDatabase,
  schema: string,
  inSchema: readonly DialectTable[],
): Promise<ReadonlySet<string>> {
  const catalogue = sql.id(schema, 'sqlite_master')
  const among = (column: Fragment): Fragment =>
    amongTables(
      column,
      inSchema.map(({ table }) => table),
    )
  const rows = await rowsOf<Declared>(db)`
    select 'table' as kind, name as t from ${catalogue}
      where type = 'table' and lower(sql) not like 'create virtual%'${among(sql`name`)}
    union all
    select 'other', tbl_name from ${catalogue} where type = 'trigger'${among(sql`tbl_name`)}
    union all
    select 'other', tbl_name from sqlite_temp_master where type = 'trigger'${among(sql`tbl_name`)}
    union all
    select 'other', f."table" from ${catalogue} m, pragma_foreign_key_list(m.name, ${schema}) f
      where m.type = 'table' and m.name not like '!_cf!_%' escape '!'
        and f.on_update not in ('NO ACTION', 'RESTRICT') and f."to" is not null${among(sql`f."table"`)}
        and not exists (
          select 1 from pragma_table_info(f."table", ${schema}) p
          where p.pk > 0 and lower(p.name) = lower(f."to"))`
  const named = (kind: string): readonly string[] =>
    rows.filter((row) => row.kind === kind).map(({ t }) => folded(t))
  const others = new Set(named('other'))
  return new Set(named('table').filter((table) => !others.has(table)))
}
