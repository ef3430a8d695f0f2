// Finds the columns of dates, datetimes and times whose texts have more digits than responses show.

import { sqliteTypes } from '../../dialect/sqlite/stored/sqlite-types.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { ColumnShape } from '../shared/catalogue.ts'
import { sampleOf } from './sampled-classes.ts'

/** The columns among `shapes` in which a sampled text has digits other than 0 that responses omit. */
export async function finerMoments(
  db: AnyDatabase,
  table: Fragment,
  shapes: ReadonlyMap<string, ColumnShape>,
  rowId: Fragment | undefined,
): Promise<ReadonlySet<string>> {
  const tests = [...shapes].flatMap(([name, { type }]) => {
    const test = isFiner(type, sql.id(name))
    return test === undefined ? [] : [{ name, test }]
  })
  if (tests.length === 0) return new Set()
  const named = tests.map(({ test }, i) => sql`${test} as ${sql.id(`c${i}`)}`)
  const found = tests.map((_, i) => sql`max(${sql.id(`c${i}`)}) as ${sql.id(`c${i}`)}`)
  const [row] = await rowsOf<Readonly<Record<string, unknown>>>(db)`
    select ${sql.join(found)} from ${sampleOf(table, named, rowId)}`
  return new Set(tests.flatMap(({ name }, i) => (Number(row?.[`c${i}`] ?? 0) === 1 ? name : [])))
}

/** Tests for digits beyond the day, the millisecond or the second; zeros, `T`, `Z` and blanks do not count. Undefined for other types. */
function isFiner(type: ColumnShape['type'], text: Fragment): Fragment | undefined {
  const fraction = sql`rtrim(substr(${text}, instr(${text}, '.')), '0Zz ')`
  switch (sqliteTypes[type].calendar) {
    case 'date':
      return sql`rtrim(substr(${text}, 11), ' T0:.Zz') <> ''`
    case 'datetime':
      return sql`${text} glob '*.[0-9][0-9][0-9][0-9]*' and length(${fraction}) > 4`
    case 'time':
      return sql`${text} glob '*.[0-9]*' and length(${fraction}) > 1`
    case false:
      return undefined
  }
}
