// The digits of numbers in JSON bodies, with as many digits as the client wrote. The number types (`model/types/numbers/`) read values by
// these functions, and compare numbers that are written differently by one text (decimalText).

import { type Expectation, expectation } from '../problems/expectation.ts'
import type { JsonValue, VerbatimNumber } from './json-value.ts'
import { isVerbatim } from './verbatim.ts'
import { withoutEndZeros, withoutLeadingZeros } from './zeros.ts'

/** Any number of up to 15 significant digits survives conversion to a 64-bit float and back. */
const safeDigits = 15

/** Whether a JSON value is a number, also one that is kept as its text. */
export const isNumber = (json: JsonValue): json is number | VerbatimNumber =>
  typeof json === 'number' || (typeof json === 'object' && json !== null && isVerbatim(json))

/** The digits of a number, as the client wrote them if it is kept as its text. */
export const numberDigits = (json: number | VerbatimNumber): string =>
  typeof json === 'number' ? String(json) : json.verbatim

const asText = expectation(
  'unsafe_number',
  {},
  'a string, because JSON readers round numbers of so many digits',
)

/**
 * Converts a string of digits by `read`, or a number with so few digits that JSON readers do not round it. A number with more digits gives
 * the problem `unsafe_number`: the client must send it as a string.
 */
export function fromExactNumber<T extends object>(
  json: JsonValue,
  read: (digits: string) => T,
): T | { readonly expected: Expectation } {
  if (typeof json === 'string') return read(json)
  if (!isNumber(json)) return read('not a number')
  const digits = plainDigits(numberDigits(json))
  const converted = read(digits)
  if ('expected' in converted) return converted
  const whole = !digits.includes('.') && Number.isSafeInteger(Number(digits))
  if (whole || significant(digits) <= safeDigits) return converted
  return { expected: asText }
}

/** The number of significant digits. */
const significant = (digits: string): number => /[0-9]*/.exec(decimalText(digits))?.[0].length ?? 0

/** One text for each number: its significant digits, and the exponent of the first one. `-1.20e3` → `12e3-` */
export function decimalText(number: string): string {
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
export function plainDigits(digits: string): string {
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
