// SQL tests for integers beyond JSON's 53 bits; introspection declares their columns as bigint, since SQLite's INTEGER has 64 bits.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { ColumnShape } from '../shared/catalogue.ts'
import { mayLoseDigits } from './unshown-digits.ts'

const largest = sql`9007199254740991`
const smallest = sql`-9007199254740991`

/** Whether a column of this declared type may be served as a whole number; types unknown to the service and dates and times depend on the values. */
export const mayBeWhole = (type: ColumnShape['type']): boolean =>
  type === 'opaque' || mayLoseDigits(type) || columnTypes[type].number === 'whole'

/** Tests a value of a column; as a sum, because a comparison of the column itself would need its collation, which the driver may lack. */
export const holdsLargeInteger = (column: Fragment): Fragment =>
  sql`(typeof(${column}) = 'integer' and (${column} + 0 > ${largest} or ${column} + 0 < ${smallest}))`

/** Tests the row ids of all rows, as the result `large`; each of the two queries reads one row. */
export const hasLargeRowId = (table: Fragment, rowId: Fragment): Fragment =>
  sql`((select max(${rowId}) from ${table}) > ${largest} or (select min(${rowId}) from ${table}) < ${smallest}) as large`
