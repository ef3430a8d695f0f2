// Finds the columns with value samples in SQLite's statistics (sqlite_stat4) when the dialect connects, because the planner then plans
// anew for each value, unless the statement hides it by a cast.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import type { DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import { isText } from '../../shared/sql/sql-parts.ts'
import { classifySqlite } from '../sqlite-errors.ts'
import { amongTables } from './among-tables.ts'
import { bySchema } from './by-schema.ts'
import { foldedColumnKey } from './table-columns.ts'

/** Columns that are the first of an index and have samples in the statistics. */
export interface Sampled {
  /** Columns with samples: SQLite plans a prepared statement again for each value that they are compared with. */
  readonly columns: ReadonlySet<DialectColumn>
  /**
   * The columns whose values are all rare, so that one plan fits all, and whose declared type matches the model, so that a cast
   * does not change the comparison.
   */
  readonly rare: ReadonlySet<DialectColumn>
}

/** A value that occurs in more rows than this is frequent. */
const mostAlike = 1000

const nothing: Sampled = { columns: new Set(), rare: new Set() }

/** Reads which columns have samples. ANALYZE stores samples only if this build of SQLite uses them. */
export async function sampledColumns(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<Sampled> {
  try {
    const sampled = new Set<DialectColumn>()
    const rare = new Set<DialectColumn>()
    for (const [schema, inSchema] of bySchema(tables)) {
      const samples = await samplesOf(db, schema, inSchema)
      const known = new Map(samples.map((sample) => [foldedColumnKey(sample.t, sample.c), sample]))
      for (const { table, columns } of inSchema) {
        for (const column of columns) {
          const sample = known.get(foldedColumnKey(table, column.dbName))
          if (sample === undefined) continue
          sampled.add(column)
          if (hasRareValues(sample, column)) rare.add(column)
        }
      }
    }
    return { columns: sampled, rare }
  } catch (error) {
    if (classifySqlite(error).kind === 'other') return nothing
    throw error
  }
}

const hasRareValues = ({ alike, declared }: Sample, column: DialectColumn): boolean =>
  Number(alike) <= mostAlike && isText(column) === isDeclaredText(String(declared))

/** The first column of an index with samples, and the number of rows with its most frequent value. */
interface Sample {
  readonly t: unknown
  readonly c: unknown
  readonly alike: unknown
  /** The column's type as declared. */
  readonly declared: unknown
}

/** Whether a column of this declared type stores text; undefined if it may store anything. */
function isDeclaredText(type: string): boolean | undefined {
  const name = type.toUpperCase()
  if (name.includes('INT')) return false
  if (/CHAR|CLOB|TEXT/.test(name)) return true
  return name === '' || name === 'ANY' || name.includes('BLOB') ? undefined : false
}

async function samplesOf(
  db: AnyDatabase,
  schema: string,
  inSchema: readonly DialectTable[],
): Promise<readonly Sample[]> {
  const found = await rowsOf(db)`
    select 1 as one from ${sql.id(schema, 'sqlite_master')} where name = 'sqlite_stat4'`
  if (found.length === 0) return []
  // The first number of `neq` is how many rows have the sampled value.
  return rowsOf<Sample>(db)`
    select s.t, i.name as c, max(s.alike) as alike, max(p.type) as declared
    from (select tbl as t, idx, max(cast(neq as integer)) as alike
        from ${sql.id(schema, 'sqlite_stat4')} group by tbl, idx) s,
      pragma_index_info(s.idx, ${schema}) i, pragma_table_xinfo(s.t, ${schema}) p
    where i.seqno = 0 and p.name = i.name${amongTables(
      sql`s.t`,
      inSchema.map(({ table }) => table),
    )}
    group by s.t, i.name`
}
