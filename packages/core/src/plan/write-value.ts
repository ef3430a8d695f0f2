// JSON of a body → the canonical JSON form of its column, strictly; what does not convert names what was expected (contract §7, §8).

import { base64, bytesOfBase64 } from '../json/base64.ts'
import type { JsonValue, VerbatimNumber } from '../json/json-value.ts'
import { isVerbatim } from '../json/verbatim.ts'
import { withoutEndZeros, withoutLeadingZeros } from '../json/zeros.ts'
import type { NamedColumn } from '../registry/resource.ts'
import type { Value } from './plan.ts'
import { convertText } from './value.ts'

/** Either the value in its canonical form, or what would have been one. */
export type Converted = { readonly value: JsonValue } | { readonly expected: string }

/** Digits that a 64-bit float gives back whatever they are, and digits that name exactly one float. */
const safeDigits = 15
const floatDigits = 17

/**
 * Converts one value of a body.
 *
 * Scalars take the JSON type of their column only: no text for a number, no object for a text. Exact numbers (bigint,
 * decimal) come as strings, or as JSON numbers that no reader could have rounded.
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
    default:
      return text(column, json)
  }
}

/** The plan value of a canonical form, for comparisons in SQL; undefined for null and for what SQL does not compare. */
export function planValueOf(column: NamedColumn, json: JsonValue | undefined): Value | undefined {
  if (typeof json === 'string') return column.type === 'bigint' ? BigInt(json) : json
  return typeof json === 'number' || typeof json === 'boolean' ? json : undefined
}

const isNumber = (json: JsonValue): json is number | VerbatimNumber =>
  typeof json === 'number' || (typeof json === 'object' && json !== null && isVerbatim(json))

const textOf = (json: number | VerbatimNumber): string =>
  typeof json === 'number' ? String(json) : json.verbatim

function integer(column: NamedColumn, json: JsonValue): Converted {
  if (!isNumber(json)) return convertedText(column, 'not a number')
  return convertedText(column, plainDigits(textOf(json)))
}

function float(column: NamedColumn, json: JsonValue): Converted {
  if (!isNumber(json)) return convertedText(column, 'not a number')
  const digits = textOf(json)
  if (significant(digits) <= floatDigits) return convertedText(column, digits.replace('e+', 'e'))
  return { expected: `a number of at most ${floatDigits} digits, so that none is lost` }
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

/** The same conversion that filters use, on digits; bigint leaves as text again. */
function convertedText(column: NamedColumn, digits: string): Converted {
  const converted = convertText(column, digits)
  if ('expected' in converted) return converted
  const { value } = converted
  return { value: typeof value === 'bigint' ? String(value) : value }
}

/** Significant digits of a number's text. */
function significant(digits: string): number {
  const mantissa = (digits.split(/[eE]/, 1)[0] ?? '').replace(/[-.]/g, '')
  return withoutLeadingZeros(withoutEndZeros(mantissa)).length
}

/** The text of a number without exponent, trailing zeros and negative zero: `1.20e1` → `12`. */
function plainDigits(digits: string): string {
  // Most are plain already.
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

function text(column: NamedColumn, json: JsonValue): Converted {
  if (typeof json === 'string') return convertedText(column, json)
  const free = column.type === 'string' || column.type === 'text'
  // The conversion of a text that is none says what the type expects.
  return free ? { expected: 'a string' } : convertedText(column, '\u0000')
}
