// The column type float: 64-bit floating-point numbers, as numbers in JSON.
// `type-definition.ts` says what each member decides.

import { decimalText, isNumber, numberDigits } from '../../../lib/json/number-digits.ts'
import { expectation, expectedType } from '../../../lib/problems/expectation.ts'
import { sameText, type TypeDefinition } from '../../type-definition.ts'

const expected = expectedType('float', 'a number such as 12.5 or 1e-3')
const inRange = expectation('number_too_large', {}, 'a number that fits 64 bits')

export const floatType: TypeDefinition = {
  json: 'number',
  number: 'approximate',
  text: false,
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: false,
  hasOneJsonForm: false,
  hasOneKeyText: false,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],

  fromText(text) {
    if (text.length > 400 || !/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text))
      return { expected }
    const value = Number(text)
    return Number.isFinite(value) ? { value } : { expected: inRange }
  },
  /**
   * Refuses a number that responses would show with other digits: they write the shortest decimal of the 64-bit float. Only a number with many
   * digits can be one: the body's parser keeps its text (`VerbatimNumber`).
   */
  fromJson(json, column, read) {
    // A text that `fromText` refuses, so that the error says what is expected.
    if (!isNumber(json)) return read(column, 'not a number')
    const digits = numberDigits(json)
    const converted = read(column, digits)
    if ('expected' in converted || typeof json === 'number') return converted
    const nearest = String(Number(digits))
    if (decimalText(nearest) === decimalText(digits)) return converted
    const words = `a number that a 64-bit float holds, such as ${nearest}`
    return { expected: expectation('inexact_number', { nearest }, words) }
  },
  canonicalTest: () => (json) => Number.isFinite(json) && !Object.is(json, -0),
  fits: (value) => Number.isFinite(value),
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'number' },
  example: () => 12.5,
  hasPlainSchema: true,
}
