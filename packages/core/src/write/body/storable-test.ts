// The test of one value, whether a column of the database holds it unchanged. The database would round, cut or replace other values: a
// column `decimal(8, 2)` stores 1.239 as 1.24. What each column holds is a `Held` of the dialect.

import type { Held } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { CodedProblem } from '../../lib/problems/problem-codes.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import {
  blankAtEnd,
  generatingZero,
  momentTooPrecise,
  numberTooPrecise,
  roundedBySingle,
  shortYear,
  tooManyBytes,
  wrongSize,
} from '../../problems.ts'
import { outsideLimits } from './value-limits.ts'

/** Returns the problem with a value, or with an item of a list, that a column does not hold. It is not called for null. */
export type StorableTest = (value: JsonValue) => CodedProblem | undefined

/** The test of a column, or of the items of its lists; undefined if it holds every value that its model accepts. */
export function storableTestOf(held: Held, column: NamedColumn): StorableTest | undefined {
  const isList = columnTypes[column.type].json === 'array'
  const type = isList ? (column.items ?? 'text') : column.type
  const { number, text, fromClock, responsesLoseDigits, schema } = columnTypes[type]
  if (fromClock !== false && responsesLoseDigits) return testOfMoments(held)
  // 30 digits after the point are the most that a decimal without `scale` accepts (`decimal-type.ts`).
  if (number === 'exact') return testOfDigits(held, column.scale ?? 30)
  if (number === 'whole') return testOfIntegers(held)
  if (number === 'approximate') return testOfFloats(held)
  if (text === 'any') return testOfTexts(held, column)
  // Only binary values have a content encoding, which is base64.
  return schema.contentEncoding === undefined ? undefined : testOfBytes(held)
}

/** Tests datetimes of a column with fewer digits after the second than milliseconds. */
function testOfMoments({ digits }: Held): StorableTest | undefined {
  // The canonical form of a datetime has at most milliseconds.
  if (digits === undefined || digits >= 3) return undefined
  return (value) => (fractionOf(value) > digits ? momentTooPrecise(digits) : undefined)
}

/** Tests numbers that have at most `most` digits after the point. */
function testOfDigits({ digits }: Held, most: number): StorableTest | undefined {
  if (digits === undefined || digits >= most) return undefined
  return (value) => (digitsOf(value) > digits ? numberTooPrecise(digits) : undefined)
}

/** Tests integers: of a column that takes 70 for the year 1970, or 0 for the next number of its counter, or that rounds to tens. */
function testOfIntegers(held: Held): StorableTest | undefined {
  const { shortYears, generatesForZero } = held
  if (shortYears === true) {
    return (value) => (Number(value) > 0 && Number(value) < 100 ? shortYear : undefined)
  }
  const test = testOfDigits(held, 0)
  if (generatesForZero !== true) return test
  return (value) => (Number(value) === 0 ? generatingZero : test?.(value))
}

/** Tests floats of a column of 32 bits, or with a declared number of digits. */
function testOfFloats(held: Held): StorableTest | undefined {
  const { floatDigits, digits } = held
  const test = testOfDigits(held, Infinity)
  if (floatDigits === undefined) return test
  return (value) =>
    test?.(value) ??
    (typeof value === 'number' ? singleProblem(value, floatDigits, digits) : undefined)
}

/**
 * The problem with a number that a 32-bit float rounds: it is shown as the shortest decimal of that float, of at most `most` digits, or
 * with a declared number of digits after the point.
 */
function singleProblem(
  value: number,
  most: number,
  declared: number | undefined,
): CodedProblem | undefined {
  const single = Math.fround(value)
  // The database refuses a number that is too large.
  if (!Number.isFinite(single)) return undefined
  let shown = single
  if (declared !== undefined) {
    shown = Number(single.toFixed(declared))
    if (shown === value) return undefined
  } else {
    for (let digitCount = 1; digitCount <= most; digitCount++) {
      shown = Number(single.toPrecision(digitCount))
      if (shown === value) return undefined
      if (Math.fround(shown) === single) break
    }
  }
  return roundedBySingle(shown)
}

/** The database refuses long texts, but for some types it cuts them, or blanks at their end. */
function testOfTexts(held: Held, { type, definition }: NamedColumn): StorableTest | undefined {
  const { length, bytes, cutsTexts, losesBlanks } = held
  // The limit of a list is not that of its items.
  const most = columnTypes[type].json === 'array' ? Infinity : (definition.maxLength ?? Infinity)
  const limited = { type: 'string', ...(length !== undefined && { maxLength: length }) } as const
  if (losesBlanks !== true && bytes === undefined && (length ?? Infinity) >= most) return undefined
  return (value) => {
    if (typeof value !== 'string' || !(cutsTexts === true || value.endsWith(' '))) return undefined
    const long = outsideLimits(limited, value)
    if (long !== undefined) return long
    if (losesBlanks === true) return blankAtEnd
    const size = bytes?.of(value) ?? 0
    return bytes !== undefined && size > bytes.most ? tooManyBytes(bytes.most, size) : undefined
  }
}

/** Tests base64 texts of a column that fills its values up to a fixed size. */
function testOfBytes({ fixedBytes }: Held): StorableTest | undefined {
  if (fixedBytes === undefined) return undefined
  return (value) => {
    const text = String(value)
    const size = (text.length / 4) * 3 - (text.length - text.replace(/=+$/, '').length)
    return size === fixedBytes ? undefined : wrongSize(fixedBytes, size)
  }
}

/** The digits after the second of a canonical datetime, without zeros at their end: `2026-05-14T10:30:00.250Z` → 2. */
function fractionOf(value: JsonValue): number {
  const [, fraction = ''] = /\.([0-9]*?)0*Z$/.exec(String(value)) ?? []
  return fraction.length
}

/**
 * The digits after the point of a number, without zeros at their end; negative if it ends in zeros before the point: `1200` → -2, `1.5e-7`
 * → 8. -Infinity for 0 and for texts without digits, such as `NaN`.
 */
function digitsOf(value: JsonValue): number {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]+))?$/.exec(String(value)) ?? []
  const all = whole + fraction
  let last = all.length
  while (last > 0 && all[last - 1] === '0') last -= 1
  return last === 0 ? -Infinity : last - whole.length - Number(exponent)
}
