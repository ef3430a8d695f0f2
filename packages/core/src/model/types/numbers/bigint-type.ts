// The column type bigint: whole numbers of 64 bits. They are strings in JSON, because JSON parsers round numbers beyond 2^53:
// `"9007199254740993"`.
// `type-definition.ts` says what each member decides.

import { fromExactNumber } from '../../../lib/json/number-digits.ts'
import { expectedType } from '../../../lib/problems/expectation.ts'
import { isString, neverCanonical, sameText, type TypeDefinition } from '../../type-definition.ts'

const smallest = -(2n ** 63n)
const largest = 2n ** 63n - 1n

const expected = expectedType('bigint', 'a whole number of 64 bits')

export const bigintType: TypeDefinition = {
  json: 'string',
  number: 'whole',
  text: false,
  comparison: 'ordered',
  fromClock: false,
  standsForRange: false,
  responsesLoseDigits: false,
  isShownInFull: true,
  hasOneJsonForm: false,
  hasOneKeyText: true,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'digits',
  options: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'unsigned'],

  fromText(text) {
    if (!/^-?[0-9]{1,19}$/.test(text)) return { expected }
    const value = BigInt(text)
    return value >= smallest && value <= largest ? { value } : { expected }
  },
  /** Takes a string of digits, or a JSON number with few digits; `read` converts these as `fromText` does. */
  fromJson: (json, column, read) => fromExactNumber(json, (digits) => read(column, digits)),
  canonicalTest: neverCanonical,
  fits: (value) => isString(value) && /^-?\d+$/.test(value),
  queryValue: (json) => BigInt(json),
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'string', pattern: '^-?[0-9]{1,19}$' },
  example: () => '9007199254740993',
  hasPlainSchema: false,
}
