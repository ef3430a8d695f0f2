// Decimal digits as text: padding to a scale, exact division, rounding of floats, numbers without digits such as NaN. Decimals, sums and
// averages are decoded by these functions, and SQLite's dialect compares and adds decimals as integers in units of 10^-scale.

import { withoutEndZeros, withoutLeadingZeros } from '../../../lib/json/zeros.ts'

/** Matches exponents too, because SQL engines and drivers print small numbers with one. */
const decimalText = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/

/** Databases print only doubles with an exponent, and doubles are between 4.9e-324 and 1.8e308. */
const largestExponent = 400

/**
 * Writes a number with at least `scale` digits after the point, without dropping digits. Undefined for text that is not a
 * number (NaN, Infinity), and for exponents that no database prints: a SQLite column can hold any text, and the digits
 * of `1e999999999` would take a gigabyte.
 *
 * `decimalDigits('12.5', 2)` → `'12.50'`
 */
export function decimalDigits(text: string, scale = 0): string | undefined {
  const match = decimalText.exec(text)
  if (match === null || (match[2] === '' && (match[3] ?? '') === '')) return undefined
  const exponent = Number(match[4] ?? 0)
  if (Math.abs(exponent) > largestExponent) return undefined
  let whole = match[2] ?? ''
  let fraction = match[3] ?? ''
  if (exponent > 0) {
    whole += fraction.slice(0, exponent).padEnd(exponent, '0')
    fraction = fraction.slice(exponent)
  } else if (exponent < 0) {
    const digits = whole.padStart(-exponent, '0')
    fraction = digits.slice(digits.length + exponent) + fraction
    whole = digits.slice(0, digits.length + exponent)
  }
  whole = withoutLeadingZeros(whole) || '0'
  // Drops zeros beyond the scale, because databases print different numbers of them.
  const furtherDigits = withoutEndZeros(fraction.slice(scale))
  fraction = fraction.slice(0, scale).padEnd(scale, '0') + furtherDigits
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return match[1] === '-' && /[1-9]/.test(digits) ? `-${digits}` : digits
}

/** Returns PostgreSQL's numbers without digits, `NaN`, `Infinity` and `-Infinity`, unchanged; undefined for any other text. */
export const specialNumber = (text: string): string | undefined =>
  text === 'NaN' || text === 'Infinity' || text === '-Infinity' ? text : undefined

/** Returns the digits as the database printed them, `12.500`, for a column without a declared scale; undefined for a special number. */
export function printedDecimal(text: string): string | undefined {
  const point = /\.([0-9]+)$/.exec(text)
  return decimalDigits(text, point?.[1]?.length ?? 0)
}

/** Converts an integer in units of 10^-scale to digits: `digitsOfUnits(1250n, 2)` → `'12.50'` */
export function digitsOfUnits(units: bigint | number, scale: number): string {
  const sign = units < 0 ? '-' : ''
  const digits = String(units < 0 ? -units : units).padStart(scale + 1, '0')
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Converts digits to an integer in units of 10^-scale; cuts digits beyond the scale: `decimalUnits('12.5', 2)` → `1250n` */
export const decimalUnits = (digits: string, scale: number): bigint =>
  BigInt(unitsOf(digits, scale))

function unitsOf(digits: string, scale: number): string {
  const [whole = '0', fraction = ''] = digits.split('.')
  return whole + fraction.slice(0, scale).padEnd(scale, '0')
}

/**
 * Returns `sum / count` with `more` digits beyond the scale, rounded half away from zero. `count` is positive.
 *
 * `quotient('10.00', '3', 2, 4)` → `'3.333333'`
 */
export function quotient(sum: string, count: string, scale: number, more: number): string {
  const units = unitsOf(sum, scale) + '0'.repeat(more)
  const rounded =
    isShort(units) && isShort(count) ? byNumbers(units, count) : byBigints(units, count)
  return digitsOfUnits(rounded, scale + more)
}

/** Whether JavaScript numbers, which are much faster than bigints, hold the number and its quotients and remainders exactly. */
const isShort = (digits: string): boolean => digits.length <= 15

function byNumbers(dividend: string, divisor: string): number {
  const [signed, count] = [Number(dividend), Number(divisor)]
  const magnitude = Math.abs(signed)
  const rest = magnitude % count
  const rounded = (magnitude - rest) / count + (2 * rest >= count ? 1 : 0)
  return signed < 0 ? -rounded : rounded
}

function byBigints(dividend: string, divisor: string): bigint {
  const [signed, count] = [BigInt(dividend), BigInt(divisor)]
  const magnitude = signed < 0n ? -signed : signed
  const rounded = (2n * magnitude + count) / (2n * count)
  return signed < 0n ? -rounded : rounded
}

/**
 * Rounds to twelve significant digits, because the further digits of a sum of floats depend on the order of its terms. Null for infinities
 * and NaN, which JSON does not have.
 */
export function roundedFloat(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) + 0 : null
}
