// Finds the `tinyint(1)` columns that are not booleans, for `introspect`: MySQL and MariaDB store numbers from -128 to 127 in them.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'

/** Number of rows that are read from each end of a table. */
const sampleRows = 1000

/**
 * Returns the columns with a number besides 0 and 1 in the first or last rows by the primary key; without one, in the first rows that
 * the server reads.
 */
export async function nonBooleanTinyints(
  db: AnyDatabase,
  table: Fragment,
  columns: readonly string[],
  primaryKey: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = sql.join(columns.map((name) => sql.id(name)))
  const end = (direction: Fragment): Fragment => {
    const order = sql.join(primaryKey.map((name) => sql`${sql.id(name)} ${direction}`))
    const by = primaryKey.length === 0 ? sql`` : sql` order by ${order}`
    return sql`(select ${names} from ${table}${by} limit ${sampleRows})`
  }
  const sample =
    primaryKey.length === 0 ? end(sql`asc`) : sql`(${end(sql`asc`)} union all ${end(sql`desc`)})`
  const tests = columns.map(
    (name, i) => sql`max(${sql.id(name)} not in (0, 1)) as ${sql.id(`c${i}`)}`,
  )
  const [found] = await rowsOf<Readonly<Record<string, unknown>>>(db)`
    select ${sql.join(tests)} from ${sample} as sampled`
  return new Set(columns.filter((_, i) => Number(found?.[`c${i}`] ?? 0) === 1))
}
