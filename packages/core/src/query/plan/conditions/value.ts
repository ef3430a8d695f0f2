// Converts strings of the query or the path strictly to values of a column's type; a string that does not convert is a 400 and
// never reaches SQL (docs/reference/query-language.md).

import { invalidValue } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { withoutEndZeros, withoutLeadingZeros } from '../../../lib/json/zeros.ts'
import type { ColumnType } from '../../../model/column.ts'
import type { SpecialValues } from '../../../model/type-rules.ts'
import { parseDate, parseDatetime, parseTime } from '../calendar.ts'
import type { Value } from '../plan.ts'

/** The properties of a column or an aggregate's result on which the conversion depends. */
export interface ValueColumn {
  readonly type: ColumnType
  readonly precision?: number
  readonly scale?: number
  readonly enum?: readonly string[]
  readonly special?: SpecialValues
}

/** The converted value, or a description of what was expected instead. */
export type Conversion = { readonly value: Value } | { readonly expected: string }

const smallestBigint = -(2n ** 63n)
const largestBigint = 2n ** 63n - 1n

function integer(text: string): Conversion {
  const expected = 'a whole number between -9007199254740991 and 9007199254740991'
  if (!/^-?[0-9]{1,16}$/.test(text)) return { expected }
  const value = Number(text)
  return Number.isSafeInteger(value) ? { value: value === 0 ? 0 : value } : { expected }
}

function bigint(text: string): Conversion {
  const expected = 'a whole number of 64 bits'
  if (!/^-?[0-9]{1,19}$/.test(text)) return { expected }
  const value = BigInt(text)
  return value >= smallestBigint && value <= largestBigint ? { value } : { expected }
}

function float(text: string): Conversion {
  const expected = 'a number such as 12.5 or 1e-3'
  if (text.length > 400 || !/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text))
    return { expected }
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { expected: 'a number that fits 64 bits' }
}

/** Longest decimal to parse, in characters; a decimal column has at most 60 digits. */
const longestDecimal = 200

/** Converts to canonical digits: no leading zeros, no `-0`, no trailing zeros after the point. */
function decimal(text: string, column: ValueColumn): Conversion {
  const match = text.length > longestDecimal ? null : /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text)
  if (match === null) return { expected: 'a decimal number such as 12.50' }
  const whole = withoutLeadingZeros(match[2] ?? '0')
  const fraction = withoutEndZeros(match[3] ?? '')
  const scale = column.scale ?? 30
  if (fraction.length > scale) {
    return { expected: `a decimal number with at most ${scale} digits after the point` }
  }
  const wholeDigits = (column.precision ?? 60) - (column.scale ?? 0)
  if (whole !== '0' && whole.length > wholeDigits) {
    return { expected: `a decimal number with at most ${wholeDigits} digits before the point` }
  }
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return { value: match[1] === '-' && digits !== '0' ? `-${digits}` : digits }
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** Parses `true`, `1`, `yes`, `false`, `0` or `no`; undefined for any other string. */
export function parseBoolean(text: string): boolean | undefined {
  return booleans.get(text)
}

function boolean(text: string): Conversion {
  const value = parseBoolean(text)
  return value === undefined ? { expected: 'true or false' } : { value }
}

function uuid(text: string): Conversion {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
  return form.test(text)
    ? { value: text.toLowerCase() }
    : { expected: 'a UUID such as 3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01' }
}

function member(text: string, column: ValueColumn): Conversion {
  const members = column.enum ?? []
  return members.includes(text) ? { value: text } : { expected: `one of ${members.join(', ')}` }
}

const orExpected = (value: string | undefined, expected: string): Conversion =>
  value === undefined ? { expected } : { value }

/** Converts a string by the column's type, or says what was expected. */
export function convertText(column: ValueColumn, text: string): Conversion {
  const usual = convertUsual(column, text)
  if ('value' in usual) return usual
  if (column.special?.isOnlyShown?.(text) === true) return usual
  const special = column.special?.read(text)
  return special === undefined ? usual : { value: special }
}

function convertUsual(column: ValueColumn, text: string): Conversion {
  switch (column.type) {
    case 'integer':
      return integer(text)
    case 'bigint':
      return bigint(text)
    case 'float':
      return float(text)
    case 'decimal':
      return decimal(text, column)
    case 'boolean':
      return boolean(text)
    case 'date':
      return orExpected(parseDate(text), 'a date such as 1925-05-14')
    case 'datetime':
      return orExpected(
        parseDatetime(text),
        'a date and time such as 2024-05-14T10:30:00Z, to the millisecond at most',
      )
    case 'time':
      return orExpected(parseTime(text), 'a time such as 10:30:00')
    case 'uuid':
      return uuid(text)
    case 'enum':
      return member(text, column)
    case 'string':
    case 'text':
    case 'json':
    case 'list':
    case 'binary':
    case 'opaque':
      return { value: text }
  }
}

/**
 * Converts a string of the request, or throws the 400 that names the field and what was expected.
 *
 * `field` is the column as the client wrote it, `at` the whole query parameter or filter that contains the value.
 *
 * `price__gt=cheap` → 400 `"cheap" is not a value of price: expected a decimal number such as 12.50.`
 */
export function planValue(column: ValueColumn, text: string, field: string, at: string): Value {
  const conversion = convertText(column, text)
  if ('value' in conversion) return conversion.value
  throw invalidValue(text, field, conversion.expected, at, nullHint(text, field))
}

/** Whether the text is a value of the column's type. */
export const isValueOf = (column: ValueColumn, text: string): boolean =>
  'value' in convertText(column, text)

/** Returns the filter for NULL, which no other filter finds, if the text names it. */
const nullHint = (text: string, field: string): string =>
  /^null$/i.test(text)
    ? ` Rows without a value are found by "${excerpt(field)}__isnull=true", the others by "${excerpt(field)}__isnull=false".`
    : ''

/**
 * Converts a canonical JSON value to the value that `planValue` returns for the same text; undefined for null, objects and arrays.
 * Removes the trailing zeros of a decimal: `'3.50'` → `'3.5'`.
 */
export function valueOfJson({ type }: ValueColumn, json: JsonValue | undefined): Value | undefined {
  if (typeof json === 'string') {
    if (type === 'bigint') return BigInt(json)
    return type === 'decimal' && json.includes('.') ? withoutFractionZeros(json) : json
  }
  return typeof json === 'number' || typeof json === 'boolean' ? json : undefined
}

function withoutFractionZeros(digits: string): string {
  const short = withoutEndZeros(digits)
  return short.endsWith('.') ? short.slice(0, -1) : short
}

/** Converts a part of a key in a path; undefined if no row can have such a key. */
export function keyValue(column: ValueColumn, text: string): Value | undefined {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text)) return undefined
  const conversion = convertText(column, text)
  return 'value' in conversion ? conversion.value : undefined
}
