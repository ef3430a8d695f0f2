// outsideLimits: the limits that a model declares for the values of a column, `maxLength: 200` or `minimum: 0`. Called when a body is read.

import { compareDigits } from '../../lib/json/compare-digits.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import type { Column } from '../../model/column.ts'
import { numberAboveLimit, numberTooSmall, textTooLong, textTooShort } from '../../problems.ts'

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

/** The problem with a value outside the limits of its column; undefined if it is within them. */
export function outsideLimits(column: Column, value: JsonValue): CodedProblem | undefined {
  if (
    typeof value === 'string' &&
    (column.maxLength !== undefined || column.minLength !== undefined)
  )
    return wrongLength(column, value)
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = column
  const against = (limit: number | string | undefined): number | undefined =>
    limit === undefined ? undefined : compareWithLimit(value, limit)
  const [low, high] = [against(minimum), against(maximum)]
  const [above, below] = [against(exclusiveMinimum), against(exclusiveMaximum)]
  // No response contains a value of a write-only column.
  const got = (): string => (column.writeOnly === true ? '' : `, got ${String(value).slice(0, 60)}`)
  if (minimum !== undefined && low !== undefined && low < 0) {
    return numberTooSmall({ limit: minimum, exclusive: false }, got())
  }
  if (exclusiveMinimum !== undefined && above !== undefined && above <= 0) {
    return numberTooSmall({ limit: exclusiveMinimum, exclusive: true }, got())
  }
  if (maximum !== undefined && high !== undefined && high > 0) {
    return numberAboveLimit({ limit: maximum, exclusive: false }, got())
  }
  return exclusiveMaximum !== undefined && below !== undefined && below >= 0
    ? numberAboveLimit({ limit: exclusiveMaximum, exclusive: true }, got())
    : undefined
}

/** Negative if the value is below the limit. Undefined for values without digits, such as PostgreSQL's `NaN`. */
const compareWithLimit = (value: JsonValue, limit: number | string): number | undefined =>
  typeof value === 'number' && typeof limit === 'number'
    ? value - limit
    : compareDigits(String(value), String(limit))

/**
 * Counts code points, as databases do, but only if the number of UTF-16 units leaves the result open: a code point is one unit or
 * two.
 */
function wrongLength(
  { minLength = 0, maxLength }: Column,
  value: string,
): CodedProblem | undefined {
  const isLong = maxLength !== undefined && value.length > maxLength
  const isShort = value.length < minLength * 2
  const length = isLong || isShort ? [...value].length : value.length
  if (maxLength !== undefined && length > maxLength) return textTooLong(maxLength, length)
  return length < minLength ? textTooShort(minLength, length) : undefined
}
