// Exact sums and averages as texts of fixed width, which sort like the numbers that they represent, because SQLite's integers have only 64 bits.

import { type Fragment, sql } from '../../sql/fragment.ts'
import type { PlanValue } from '../dialect.ts'
import { scaled } from '../shared/decimal.ts'
import type { Ref } from '../shared/sql-parts.ts'

// A sum is `high * 2^32 + low`, where 0 <= low < 2^32. Up to 2^31 rows, |high| < 2^62.
const high = (whole: Ref): Fragment =>
  sql`(sum(${whole} >> 32) + (sum(${whole} & 4294967295) >> 32))`
const low = (whole: Ref): Fragment => sql`(sum(${whole} & 4294967295) & 4294967295)`

/** The sum of whole numbers, as 29 digits: `high + 2^62`, then `low`. NULL without values. */
export const sumText = (whole: Ref): Fragment =>
  sql`case when count(${whole}) > 0 then printf('%019d%010d', ${high(whole)} + 4611686018427387904, ${low(whole)}) end`

/**
 * The average of whole numbers with four digits more, half away from zero, as 24 digits: `average / 2^32 + 2^31`, the rest of
 * that, and the four digits. NULL without values.
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

/** A value that sums are compared with, in the form of `sumText`. A fraction sorts between two sums. */
export function sumBound(value: PlanValue, scale: number): string {
  const { units, isWhole } = unitsOf(value, scale)
  const text = fixed([(units >> 32n) + (1n << 62n), 19], [units & mask, 10])
  return isWhole ? text : `${text}5`
}

/** A value that averages are compared with, of this scale, in the form of `averageText`. */
export function averageBound(value: PlanValue, scale: number): string {
  const { units } = unitsOf(value, scale)
  const fraction = ((units % 10000n) + 10000n) % 10000n
  const whole = (units - fraction) / 10000n
  return fixed([(whole >> 32n) + (1n << 31n), 10], [whole & mask, 10], [fraction, 4])
}

/** Digits of fixed width; below or above all of them if the first number has more digits or is negative. */
function fixed(...parts: readonly (readonly [number: bigint, width: number])[]): string {
  const [[first, width] = [0n, 0]] = parts
  if (first < 0n) return ''
  if (String(first).length > width) return ':'
  return parts.map(([number, digits]) => String(number).padStart(digits, '0')).join('')
}

/** Whole units of 10^-scale, rounded down. */
function unitsOf(
  value: PlanValue,
  scale: number,
): { readonly units: bigint; readonly isWhole: boolean } {
  if (typeof value === 'number') {
    const down = Math.floor(value)
    return { units: BigInt(down), isWhole: down === value }
  }
  return { units: scaled(String(value), scale), isWhole: true }
}
