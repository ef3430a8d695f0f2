// Reads in which storage classes the columns of a table store their values, because SQLite does not enforce declared types.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { StorageClasses } from './sqlite-catalogue-types.ts'

/** Number of rows that are read from each end of a table, or from the beginning of a view. */
export const sampleRows = 1000

/** Columns of one statement. A SELECT of SQLite may have 2,000, but builds of SQLite may allow fewer. */
const mostColumns = 500

/** The sampled rows of a table, with these columns; `rowId` is the column by which a table of rows with ids can be read from both ends. */
export function sampleOf(
  table: Fragment,
  columns: readonly Fragment[],
  rowId: Fragment | undefined,
): Fragment {
  const names = sql.join(columns)
  if (rowId === undefined) return sql`(select ${names} from ${table} limit ${sampleRows})`
  const end = (direction: Fragment): Fragment =>
    sql`select * from (select ${names} from ${table} order by ${rowId} ${direction} limit ${sampleRows})`
  return sql`(${end(sql`asc`)} union all ${end(sql`desc`)})`
}

/** The storage classes of the sampled values by column; `null` is one of them. */
export async function sampledClasses(
  db: AnyDatabase,
  table: Fragment,
  columns: readonly string[],
  rowId: Fragment | undefined,
): Promise<ReadonlyMap<string, StorageClasses>> {
  const classes = new Map<string, StorageClasses>()
  for (let start = 0; start < columns.length; start += mostColumns) {
    const some = columns.slice(start, start + mostColumns)
    // The values themselves would need their collations, which the driver may lack.
    const aliased = some.map((name, i) => sql`typeof(${sql.id(name)}) as ${sql.id(`c${i}`)}`)
    const found = some.map(
      (_, i) => sql`group_concat(distinct ${sql.id(`c${i}`)}) as ${sql.id(`c${i}`)}`,
    )
    const [row] = await rowsOf<Readonly<Record<string, string | null>>>(db)`
      select ${sql.join(found)} from ${sampleOf(table, aliased, rowId)}`
    for (const [i, name] of some.entries()) {
      classes.set(name, new Set((row?.[`c${i}`] ?? '').split(',').filter((one) => one !== '')))
    }
  }
  return classes
}
