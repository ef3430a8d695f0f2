// Reads what the sampled rows of a table store, because SQLite does not enforce declared types: one statement for a table.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { ColumnShape } from '../shared/catalogue.ts'
import { hasLargeRowId, holdsLargeInteger, mayBeWhole } from './large-integers.ts'
import type { StorageClasses } from './sqlite-catalogue-types.ts'
import { holdsUnshownDigits } from './unshown-digits.ts'

/** Number of rows that are read from each end of a table, or from the beginning of a view. */
export const sampleRows = 1000

/** Columns of one statement. A SELECT of SQLite may have 2,000 results, but builds of SQLite may allow fewer. */
const mostColumns = 160

/** What a sampled column stores. */
export interface SampledColumn {
  /** The storage classes of its values; `null` is one of them. */
  readonly classes: StorageClasses
  /** Whether an integer is beyond 2^53-1. */
  readonly holdsLarge: boolean
  /** Whether a text has more digits than responses show. */
  readonly responsesLoseDigits: boolean
}

/** A column to be read, with the type that it is declared with. */
export interface ColumnToSample {
  readonly name: string
  readonly type: ColumnShape['type']
}

/** What the sampled rows of a table store. */
export interface Sample {
  /** By name. */
  readonly columns: ReadonlyMap<string, SampledColumn>
  /** Whether a row id of any row is beyond 2^53-1. */
  readonly hasLargeRowId: boolean
}

/**
 * Reads up to 1,000 rows from both ends of a table, and returns what each column stores in them. `rowId` is the column by which the ends are
 * found; undefined for a view or a table without row ids, of which it reads the first rows.
 */
export async function sampledStorage(
  db: AnyDatabase,
  table: Fragment,
  columns: readonly ColumnToSample[],
  rowId: Fragment | undefined,
): Promise<Sample> {
  const found = new Map<string, SampledColumn>()
  let isLarge = false
  for (let start = 0; start < columns.length; start += mostColumns) {
    const some = columns.slice(start, start + mostColumns)
    // The values themselves would need their collations, which the driver may lack.
    const asked = some.flatMap(({ name, type }, i) => testsOf(sql.id(name), type, i))
    const sampled = asked.map(({ value, label }) => sql`${value} as ${label}`)
    const results = asked.map(({ found, label }) => sql`${found(label)} as ${label}`)
    const ends = rowId === undefined || start > 0 ? [] : [hasLargeRowId(table, rowId)]
    const [row] = await rowsOf<Readonly<Record<string, unknown>>>(db)`
      select ${sql.join([...results, ...ends])} from ${sampleOf(table, sampled, rowId)}`
    const isTrue = (name: string): boolean => Number(row?.[name] ?? 0) === 1
    isLarge ||= isTrue('large')
    for (const [i, { name }] of some.entries()) {
      const classes = String(row?.[`c${i}`] ?? '').split(',')
      found.set(name, {
        classes: new Set(classes.filter((storageClass) => storageClass !== '')),
        holdsLarge: isTrue(`l${i}`),
        responsesLoseDigits: isTrue(`f${i}`),
      })
    }
  }
  return { columns: found, hasLargeRowId: isLarge }
}

/** What is asked of a value in each row (`value`), and of these results together (`found`): `typeof(price)`, `group_concat(distinct c0)`. */
interface Test {
  readonly value: Fragment
  readonly found: (values: Fragment) => Fragment
  readonly label: Fragment
}

/** The labels have the number of the column: `c0` for storage classes, `l0` for large integers, `f0` for digits that responses do not show. */
function testsOf(column: Fragment, type: ColumnShape['type'], index: number): readonly Test[] {
  const any = (label: string, value: Fragment): Test => ({
    value,
    found: (values) => sql`max(${values})`,
    label: sql.id(`${label}${index}`),
  })
  const classes: Test = {
    value: sql`typeof(${column})`,
    found: (values) => sql`group_concat(distinct ${values})`,
    label: sql.id(`c${index}`),
  }
  const unshown = holdsUnshownDigits(type, column)
  return [
    classes,
    ...(mayBeWhole(type) ? [any('l', holdsLargeInteger(column))] : []),
    ...(unshown === undefined ? [] : [any('f', unshown)]),
  ]
}

/** The sampled rows of a table, with these columns. */
function sampleOf(
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
