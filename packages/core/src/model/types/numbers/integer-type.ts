// The column type integer: whole numbers up to 2^53 - 1, so that JSON parsers do not round them.
// `type-definition.ts` says what each member decides.

import { isNumber, numberDigits, plainDigits } from '../../../lib/json/number-digits.ts'
import { expectedType } from '../../../lib/problems/expectation.ts'
import { sameText, type TypeDefinition } from '../../type-definition.ts'

const expected = expectedType(
  'integer',
  'a whole number between -9007199254740991 and 9007199254740991',
)

export const integerType: TypeDefinition = {
  json: 'number',
  number: 'whole',
  text: false,
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: true,
  hasOneJsonForm: true,
  hasOneKeyText: true,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'digits',
  options: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'unsigned'],

  fromText(text) {
    if (!/^-?[0-9]{1,16}$/.test(text)) return { expected }
    const value = Number(text)
    // `-0` is 0.
    return Number.isSafeInteger(value) ? { value: value === 0 ? 0 : value } : { expected }
  },
  // `not a number` is a text that `fromText` refuses, so that the error says what is expected.
  fromJson: (json, column, read) =>
    read(column, isNumber(json) ? plainDigits(numberDigits(json)) : 'not a number'),
  canonicalTest: () => (json) => Number.isSafeInteger(json) && !Object.is(json, -0),
  fits: (value) => Number.isSafeInteger(value),
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'integer' },
  example: () => 1,
  hasPlainSchema: true,
}
