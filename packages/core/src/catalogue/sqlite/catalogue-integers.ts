// Finds integer columns with numbers beyond JSON's 53 bits; introspection declares them as bigint, since SQLite's INTEGER has 64 bits.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { sampleOf } from './sampled-classes.ts'

const largest = sql`9007199254740991`
const smallest = sql`-9007199254740991`

/** Returns the columns with a number beyond 2^53-1 in the sampled rows; for `rowId`, the row id or its alias, in any row. `ordered` as in `sampleOf`. */
export async function largeIntegers(
  db: AnyDatabase,
  table: Fragment,
  columns: readonly string[],
  rowId: string | undefined,
  ordered: Fragment | undefined,
): Promise<ReadonlySet<string>> {
  const names = columns.map((name) => sql.id(name))
  const counts = names.map(
    (name, i) =>
      sql`max(typeof(${name}) = 'integer' and (${name} > ${largest} or ${name} < ${smallest})) as ${sql.id(`c${i}`)}`,
  )
  const [sample] =
    columns.length === 0
      ? []
      : await rowsOf<Readonly<Record<string, unknown>>>(db)`
    select ${sql.join(counts)} from ${sampleOf(table, names, ordered)}`
  const found = new Set(columns.filter((_, i) => Number(sample?.[`c${i}`] ?? 0) === 1))
  if (rowId === undefined || found.has(rowId)) return found
  // In a query of its own, each of the two reads one row.
  const [ends] = await rowsOf<{ readonly large: unknown }>(db)`
    select (select max(${sql.id(rowId)}) from ${table}) > ${largest}
      or (select min(${sql.id(rowId)}) from ${table}) < ${smallest} as large`
  return Number(ends?.large ?? 0) === 1 ? found.add(rowId) : found
}
