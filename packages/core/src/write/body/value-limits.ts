// Limits of a column's values: length, and the smallest and largest number.

import { compareDigits } from '../../lib/json/compare-digits.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { Column } from '../../model/column.ts'

/** Whether `outsideLimits` may exclude a value of the column. */
export const hasLimits = (column: Column): boolean =>
  [
    column.maxLength,
    column.minLength,
    column.minimum,
    column.maximum,
    column.exclusiveMinimum,
    column.exclusiveMaximum,
  ].some((limit) => limit !== undefined)

/** A sentence that says what was expected, if the value is outside the limits of its column; otherwise undefined. */
export function outsideLimits(column: Column, value: JsonValue): string | undefined {
  if (
    typeof value === 'string' &&
    (column.maxLength !== undefined || column.minLength !== undefined)
  )
    return wrongLength(column, value)
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = column
  const against = (limit: number | string | undefined): number | undefined =>
    limit === undefined ? undefined : order(value, limit)
  const [low, high] = [against(minimum), against(maximum)]
  const [above, below] = [against(exclusiveMinimum), against(exclusiveMaximum)]
  const expected =
    low !== undefined && low < 0
      ? `at least ${minimum}`
      : above !== undefined && above <= 0
        ? `more than ${exclusiveMinimum}`
        : high !== undefined && high > 0
          ? `at most ${maximum}`
          : below !== undefined && below >= 0
            ? `less than ${exclusiveMaximum}`
            : undefined
  if (expected === undefined) return undefined
  // No response contains a value of a write-only column.
  if (column.writeOnly === true) return `Expected ${expected}.`
  return `Expected ${expected}, got ${String(value).slice(0, 60)}.`
}

/** Negative if the value is below the limit. Undefined for values without digits, such as PostgreSQL's `NaN`. */
const order = (value: JsonValue, limit: number | string): number | undefined =>
  typeof value === 'number' && typeof limit === 'number'
    ? value - limit
    : compareDigits(String(value), String(limit))

/**
 * Counts code points, as databases do, but only if the number of UTF-16 units leaves the result open: a code point is one unit or
 * two.
 */
function wrongLength({ minLength = 0, maxLength }: Column, value: string): string | undefined {
  const isLong = maxLength !== undefined && value.length > maxLength
  const isShort = value.length < minLength * 2
  const length = isLong || isShort ? [...value].length : value.length
  if (maxLength !== undefined && length > maxLength) {
    return `Expected at most ${maxLength} characters, got ${length}.`
  }
  return length < minLength
    ? `Expected at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}, got ${length}.`
    : undefined
}
