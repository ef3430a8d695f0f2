// Exact sums and averages as texts of fixed width, which sort like the numbers that they represent, because SQLite's integers
// have only 64 bits. For ORDER BY and conditions on groups, `price__sum__gt=100`: sumText and averageText are SQL, sumBound and
// averageBound write the 100 in the same form.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { PlanValue } from '../dialect.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import { decimalUnits } from '../shared/values/decimal.ts'

// A sum is `high * 2^32 + low`, where 0 <= low < 2^32. Up to 2^31 rows, |high| < 2^62.
const high = (whole: Ref): Fragment =>
  sql`(sum(${whole} >> 32) + (sum(${whole} & 4294967295) >> 32))`
const low = (whole: Ref): Fragment => sql`(sum(${whole} & 4294967295) & 4294967295)`

/** Returns the sum of whole numbers as 29 digits: `high + 2^62`, then `low`. NULL without values. */
export const sumText = (whole: Ref): Fragment =>
  sql`case when count(${whole}) > 0 then printf('%019d%010d', ${high(whole)} + 4611686018427387904, ${low(whole)}) end`

/**
 * Returns the average of whole numbers, rounded half away from zero to four more digits, as 24 digits: `average / 2^32 + 2^31` in
 * ten digits, the remainder of that division in ten, and the four more digits. NULL without values.
 */
export function averageText(whole: Ref): Fragment {
  const count = sql`count(${whole})`
  // Adds 2^31 for each row, so that the number is not negative and integer division rounds down.
  const positive = sql`(${high(whole)} + ${count} * 2147483648)`
  const rest = sql`(((${positive} % ${count}) << 32) + ${low(whole)})`
  const quotient = sql`(${rest} / ${count})`
  const fraction = sql`(((${rest} % ${count}) * 20000 + ${count} - (${high(whole)} < 0)) / (2 * ${count}))`
  const rounded = sql`(${quotient} + ${fraction} / 10000)`
  return sql`case when ${count} > 0 then printf('%010d%010d%04d', ${positive} / ${count} + (${rounded} >> 32), ${rounded} & 4294967295, ${fraction} % 10000) end`
}

const mask = 4294967295n

/** Writes a value in the format of `sumText`, for comparisons with sums. A value with a fraction sorts between two sums. */
export function sumBound(value: PlanValue, scale: number): string {
  const { units, isWhole } = unitsOf(value, scale)
  const text = fixed([(units >> 32n) + (1n << 62n), 19], [units & mask, 10])
  return isWhole ? text : `${text}5`
}

/** Writes a value of this scale in the format of `averageText`, for comparisons with averages. */
export function averageBound(value: PlanValue, scale: number): string {
  const { units } = unitsOf(value, scale)
  const fraction = ((units % 10000n) + 10000n) % 10000n
  const whole = (units - fraction) / 10000n
  return fixed([(whole >> 32n) + (1n << 31n), 10], [whole & mask, 10], [fraction, 4])
}

/** Writes numbers with fixed widths. If the first is negative or too wide, returns text that sorts before or after all others. */
function fixed(...parts: readonly (readonly [number: bigint, width: number])[]): string {
  const [[first, width] = [0n, 0]] = parts
  if (first < 0n) return ''
  if (String(first).length > width) return ':'
  return parts.map(([number, digits]) => String(number).padStart(digits, '0')).join('')
}

/** Converts a value to whole units of 10^-scale, rounded down. */
function unitsOf(
  value: PlanValue,
  scale: number,
): { readonly units: bigint; readonly isWhole: boolean } {
  if (typeof value === 'number') {
    const down = Math.floor(value)
    return { units: BigInt(down), isWhole: down === value }
  }
  return { units: decimalUnits(String(value), scale), isWhole: true }
}
