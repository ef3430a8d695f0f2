// What SQLite's statistics know of the values of columns, as far as plans depend on it.

import { sql } from 'kysely'
import type { AnyDatabase } from '../../sql/any-database.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import { isText } from '../shared/sql-parts.ts'
import { classifySqlite } from './errors.ts'
import { nameOf } from './stored-columns.ts'

/** What the engine's statistics know of columns that begin an index. */
export interface Sampled {
  /** Columns of which it knows single values: it looks at what they are compared with, and plans a kept statement anew for it. */
  readonly columns: ReadonlySet<DialectColumn>
  /** Those of them that have no value that many rows have: none is worth a plan of its own; and that are declared to hold what the model says, so that a cast value is compared as a bare one. */
  readonly even: ReadonlySet<DialectColumn>
}

/** More rows than this are many. */
const mostAlike = 1000

const nothing: Sampled = { columns: new Set(), even: new Set() }

/** What `analyze` left behind, where this build of SQLite reads it. */
export async function sampledColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<Sampled> {
  try {
    const samples = await samplesOf(db, tables[0]?.schema ?? 'main')
    const known = new Map(samples.map((sample) => [nameOf(sample.t, sample.c), sample]))
    const where = (
      test: (sample: Sample, column: DialectColumn) => boolean,
    ): ReadonlySet<DialectColumn> =>
      new Set(
        tables.flatMap(({ table, columns }) =>
          columns.filter((column) => {
            const sample = known.get(nameOf(table, column.dbName))
            return sample !== undefined && test(sample, column)
          }),
        ),
      )
    return {
      columns: where(() => true),
      even: where(
        ({ alike, declared }, column) =>
          Number(alike) <= mostAlike && isText(column) === isDeclaredText(String(declared)),
      ),
    }
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return nothing
    throw error
  }
}

/** A column that begins indexes with samples, and how many rows have the same value at most. */
interface Sample {
  readonly t: unknown
  readonly c: unknown
  readonly alike: unknown
  /** The column's type as declared. */
  readonly declared: unknown
}

/** Whether such a column holds texts; undefined where it holds anything. */
function isDeclaredText(type: string): boolean | undefined {
  const name = type.toUpperCase()
  if (name.includes('INT')) return false
  if (/CHAR|CLOB|TEXT/.test(name)) return true
  return name === '' || name === 'ANY' || name.includes('BLOB') ? undefined : false
}

async function samplesOf(db: AnyDatabase, schema: string): Promise<readonly Sample[]> {
  const { rows: found } = await sql`
    select 1 as one from ${sql.id(schema, 'sqlite_master')} where name = 'sqlite_stat4'`.execute(db)
  if (found.length === 0) return []
  const { rows } = await sql<Sample>`
    select s.t, i.name as c, max(s.alike) as alike, max(p.type) as declared
    from (select tbl as t, idx, max(cast(neq as integer)) as alike
        from ${sql.id(schema, 'sqlite_stat4')} group by tbl, idx) s,
      pragma_index_info(s.idx, ${schema}) i, pragma_table_xinfo(s.t, ${schema}) p
    where i.seqno = 0 and p.name = i.name
    group by s.t, i.name`.execute(db)
  return rows
}
