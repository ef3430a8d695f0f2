// Converts values of a JSON body strictly to the canonical JSON form of their columns, or says what was expected
// (docs/reference/serialisation.md, docs/guide/writing.md).

import { base64, bytesOfBase64 } from '../../lib/json/base64.ts'
import type { JsonValue, VerbatimNumber } from '../../lib/json/json-value.ts'
import { isVerbatim } from '../../lib/json/verbatim.ts'
import { withoutEndZeros, withoutLeadingZeros } from '../../lib/json/zeros.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { parseDate, parseDatetime } from '../../query/plan/calendar.ts'
import { convertText } from '../../query/plan/conditions/value.ts'

/** The value in canonical form, or a description of what was expected instead. */
export type Converted = { readonly value: JsonValue } | Unexpected

export interface Unexpected {
  readonly expected: string
  /** In a list: what was expected of each wrong item, by its path in the list, such as `[3]`; absent if the list itself is wrong. */
  readonly items?: ReadonlyMap<string, string>
}

/** Any number of up to 15 significant digits survives conversion to a 64-bit float and back. */
const safeDigits = 15

/**
 * Converts one value of a body.
 *
 * A value must have the JSON type of its column: no string for a number, no object for a string. Exact numbers (bigint, decimal)
 * are strings, or JSON numbers with so few digits that JSON parsers do not round them.
 *
 * `convertJson({ type: 'decimal', scale: 2, … }, 12.5)` → `{ value: '12.5' }`
 */
export function convertJson(column: NamedColumn, json: JsonValue): Converted {
  switch (column.type) {
    case 'json':
      return { value: json }
    case 'boolean':
      return typeof json === 'boolean' ? { value: json } : { expected: 'true or false' }
    case 'integer':
      return integer(column, json)
    case 'float':
      return float(column, json)
    case 'bigint':
    case 'decimal':
      return exact(column, json)
    case 'binary':
      return binary(json)
    case 'list':
      return list(column, json)
    default:
      return text(column, json)
  }
}

/**
 * Returns a quick test for values that `convertJson` would return unchanged: true means unchanged, and false means unknown. For some
 * types the test always returns false.
 *
 * `canonicalTest({ type: 'integer', … })(5)` → true
 */
export function canonicalTest(column: NamedColumn): (json: JsonValue) => boolean {
  const { type } = column
  switch (type) {
    case 'json':
      return () => true
    case 'boolean':
      return (json) => typeof json === 'boolean'
    case 'integer':
      return (json) => Number.isSafeInteger(json) && !Object.is(json, -0)
    case 'float':
      return (json) => Number.isFinite(json) && !Object.is(json, -0)
    case 'string':
    case 'text':
    case 'opaque':
      return (json) => typeof json === 'string'
    case 'enum': {
      const members = new Set<JsonValue>(column.enum)
      return (json) => typeof json === 'string' && members.has(json)
    }
    case 'date':
      return (json) => typeof json === 'string' && parseDate(json) !== undefined
    case 'datetime':
      return (json) =>
        typeof json === 'string' && json.length === 24 && parseDatetime(json) === json
    default:
      return () => false
  }
}

const isNumber = (json: JsonValue): json is number | VerbatimNumber =>
  typeof json === 'number' || (typeof json === 'object' && json !== null && isVerbatim(json))

const textOf = (json: number | VerbatimNumber): string =>
  typeof json === 'number' ? String(json) : json.verbatim

function integer(column: NamedColumn, json: JsonValue): Converted {
  if (!isNumber(json)) return convertedText(column, 'not a number')
  return convertedText(column, plainDigits(textOf(json)))
}

/** Refuses a number that responses would show with other digits: they write the shortest decimal of the 64-bit float. */
function float(column: NamedColumn, json: JsonValue): Converted {
  if (!isNumber(json)) return convertedText(column, 'not a number')
  const digits = textOf(json)
  const converted = convertedText(column, digits.replace('e+', 'e'))
  if ('expected' in converted || typeof json === 'number') return converted
  const kept = String(Number(digits))
  if (decimalText(kept) === decimalText(digits)) return converted
  return { expected: `a number that a 64-bit float holds, such as ${kept}` }
}

function exact(column: NamedColumn, json: JsonValue): Converted {
  if (typeof json === 'string') return convertedText(column, json)
  if (!isNumber(json)) return convertedText(column, 'not a number')
  const digits = plainDigits(textOf(json))
  const converted = convertedText(column, digits)
  if ('expected' in converted) return converted
  const whole = !digits.includes('.') && Number.isSafeInteger(Number(digits))
  if (whole || significant(digits) <= safeDigits) return converted
  return { expected: `a string, because JSON readers round numbers of so many digits` }
}

/** Converts a string as filters do; a bigint becomes a string again. */
function convertedText(column: NamedColumn, digits: string): Converted {
  const converted = convertText(column, digits)
  if ('expected' in converted) return converted
  const { value } = converted
  return { value: typeof value === 'bigint' ? String(value) : value }
}

/** The number of significant digits. */
const significant = (digits: string): number => /[0-9]*/.exec(decimalText(digits))?.[0].length ?? 0

/** One text for each number: its significant digits, and the exponent of the first one. `-1.20e3` → `12e3-` */
function decimalText(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  const after = withoutLeadingZeros(all)
  const digits = withoutEndZeros(after)
  if (digits === '') return '0'
  const first = whole.length - 1 - (all.length - after.length) + Number(exponent)
  return `${digits}e${first}${mantissa.startsWith('-') ? '-' : ''}`
}

/** Writes a number without exponent, trailing zeros and negative zero: `1.20e1` → `12`. */
function plainDigits(digits: string): string {
  if (/^[1-9][0-9]*$/.test(digits)) return digits
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(digits)
  if (match === null) return digits
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  const padded = point < 0 ? '0'.repeat(-point) + all : all.padEnd(point, '0')
  const at = Math.max(point, 0)
  const before = withoutLeadingZeros(padded.slice(0, at)) || '0'
  const after = withoutEndZeros(padded.slice(at))
  const plain = after === '' ? before : `${before}.${after}`
  return plain === '0' ? plain : sign + plain
}

function binary(json: JsonValue): Converted {
  const expected = 'bytes as a base64 text'
  if (typeof json !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(json)) return { expected }
  try {
    const canonical = base64(bytesOfBase64(json))
    return canonical === json ? { value: json } : { expected }
  } catch {
    return { expected }
  }
}

/**
 * Converts a list of values of one type, some of which may be null. In a list of lists, all inner lists have the same length, as in a
 * multidimensional array.
 */
function list(column: NamedColumn, json: JsonValue): Converted {
  if (!Array.isArray(json)) return { expected: 'a list' }
  const item = { ...column, type: column.items ?? 'text' }
  const lengths = new Set(json.map((one) => (Array.isArray(one) ? one.length : -1)))
  if (lengths.size > 1 || lengths.has(0)) {
    return { expected: 'a list of values, or of lists that have as many values each' }
  }
  const values: JsonValue[] = []
  const wrong = new Map<string, string>()
  for (const [i, one] of json.entries()) {
    const of = Array.isArray(one) ? column : item
    const converted = one === null ? { value: null } : convertJson(of, one)
    if ('value' in converted) values.push(converted.value)
    else if (converted.items === undefined) wrong.set(`[${i}]`, converted.expected)
    else for (const [at, expected] of converted.items) wrong.set(`[${i}]${at}`, expected)
  }
  const [first] = wrong
  if (first === undefined) return { value: values }
  return { expected: `a list whose item ${first[0]} is ${first[1]}`, items: wrong }
}

function text(column: NamedColumn, json: JsonValue): Converted {
  if (typeof json === 'string') return convertedText(column, json)
  const free = column.type === 'string' || column.type === 'text' || column.type === 'opaque'
  // NUL is invalid in all other types, so converting it gives the description of what the type expects.
  return free ? { expected: 'a string' } : convertedText(column, '\u0000')
}
