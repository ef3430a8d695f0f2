// aggregateOf: the aggregate functions of SQLite: exact sums and averages of the stored numbers, which skip values that are not numbers.
// `price__sum` of a decimal selects `sum(<units>) || '/' || count(<units>)`, integers in units of the scale.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { AggregateFunction } from '../../model/query-words/operators.ts'
import type { Aggregate } from '../dialect.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import { aggregateDecoderOf, type Total } from '../shared/values/aggregate-decode.ts'
import { digitsOfUnits } from '../shared/values/decimal.ts'
import { textOf } from '../shared/values/decode.ts'
import { hasUnits, isScaled, roundedUnits } from './operand.ts'
import { exactValue } from './order-key.ts'
import { storedDecoder } from './stored/sqlite-types.ts'
import { isStoredNumber } from './stored/stored-forms.ts'
import { averageText, sumText } from './sums.ts'

/** How `min` and `max` read a column. */
interface Extremes {
  /** The plain column if its stored values sort in the order of the values that they represent, so that an index can be used. */
  ordered(column: DialectColumn, ref: Ref): Ref
  /** The expression to select, of the result of MIN or MAX. */
  select(column: DialectColumn, ref: Ref): Ref
}

/** The member `aggregate` of the dialect. */
export function aggregateOf(
  fn: AggregateFunction,
  column: DialectColumn,
  extremes: Extremes,
): Aggregate {
  const minMax = storedDecoder({ ...column, comparable: true }, isScaled(column))
  const extreme = (of: Ref): Fragment => (fn === 'min' ? sql`min(${of})` : sql`max(${of})`)
  return {
    select: (ref) =>
      fn === 'min' || fn === 'max'
        ? extremes.select({ ...column, comparable: true }, extreme(extremes.ordered(column, ref)))
        : selected(fn, column, ref),
    decode: aggregateDecoderOf(fn, column, (raw) => totalOf(raw, column), minMax),
    comparable: (ref) =>
      fn === 'min' || fn === 'max' ? extreme(exactValue(column, ref)) : comparable(fn, column, ref),
  }
}

/** The expression to select: for exact sums, text that `totalOf` reads. */
function selected(fn: 'count' | 'sum' | 'avg', column: DialectColumn, ref: Ref): Ref {
  if (fn === 'count') return sql`count(${ref})`
  const number = numberOf(column, ref)
  if (isFloat(column)) return fn === 'sum' ? sql`sum(${number})` : sql`avg(${number})`
  if (sumFits(column)) return sql`sum(${number}) || '/' || count(${number})`
  // Sums the high and low halves separately, because SQLite fails if a sum exceeds 64 bits; together they are exact.
  return sql`sum(${number} >> 32) || '/' || sum(${number} & 4294967295) || '/' || count(${number})`
}

/** The expression by which groups are compared and ordered. */
function comparable(fn: 'count' | 'sum' | 'avg', column: DialectColumn, ref: Ref): Ref {
  if (fn === 'count') return sql`count(${ref})`
  const number = numberOf(column, ref)
  if (isFloat(column)) return rounded(fn === 'sum' ? sql`sum(${number})` : sql`avg(${number})`)
  if (fn === 'sum') return sumText(number)
  if (columnTypes[column.type].json !== 'number') return averageText(number)
  return sql`((sum(${number} >> 32) * 4294967296.0 + sum(${number} & 4294967295)) / count(${number}))`
}

/** Returns the stored number as an integer (for decimals, in units of the scale) or a float; NULL for a value that is not a number. */
function numberOf(column: DialectColumn, ref: Ref): Ref {
  // A path into a json column gives a number.
  if (column.comparable) return ref
  const number = isFloat(column)
    ? sql`cast(${ref} as real)`
    : isScaled(column)
      ? roundedUnits(column, ref)
      : sql`cast(${ref} as integer)`
  const fits = isScaled(column) ? sql` and ${hasUnits(column, ref)}` : sql``
  return sql`case when ${isStoredNumber(ref)}${fits} then ${number} end`
}

/**
 * Rounds to twelve significant digits, because the further digits of a sum of floats depend on the order of its terms. An infinite sum is
 * NULL, as responses show it: SQLite would read its text as 0.
 */
function rounded(value: Ref): Fragment {
  return sql`case when abs(${value}) < 9e999 then cast(printf('%.12g', ${value}) as real) end`
}

/** Whether values are below 10^9, so that the sum of up to nine billion of them fits into 64 bits. */
const sumFits = ({ type, precision = Number.POSITIVE_INFINITY }: DialectColumn): boolean =>
  columnTypes[type].number === 'exact' && precision <= 9

const isFloat = ({ type }: DialectColumn): boolean => columnTypes[type].number === 'approximate'

/** Parses digits as a number if that is exact, otherwise as a bigint. */
const wholeOf = (digits: string): number | bigint =>
  digits.length <= 15 ? Number(digits) : BigInt(digits)

/** Reads `sum/count`, or `high/low/count`, where the sum is high · 2^32 + low. */
function totalOf(raw: unknown, column: DialectColumn): Total {
  const parts = textOf(raw).split('/')
  const [first = '0', low = '0'] = parts
  const count = parts.at(-1) ?? '1'
  const sum = parts.length === 2 ? wholeOf(first) : (BigInt(first) << 32n) + BigInt(low)
  return { sum: isScaled(column) ? digitsOfUnits(sum, column.scale ?? 0) : String(sum), count }
}
