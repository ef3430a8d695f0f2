// The column type decimal: numbers whose digits are kept exactly, such as prices. They are strings in JSON, because JSON parsers round
// numbers: a `decimal` column of precision 10 and scale 2 gives `"12.50"`.
// `type-definition.ts` says what each member decides.

import { fromExactNumber } from '../../../lib/json/number-digits.ts'
import { withoutEndZeros, withoutLeadingZeros } from '../../../lib/json/zeros.ts'
import { expectation, expectedType } from '../../../lib/problems/expectation.ts'
import { isString, neverCanonical, type TypeDefinition } from '../../type-definition.ts'

/** Longest text that is read as a decimal, in characters: a valid one has at most 90 digits, 60 of them before the point, besides zeros. */
const longest = 200

const expected = expectedType('decimal', 'a decimal number such as 12.50')

export const decimalType: TypeDefinition = {
  json: 'string',
  number: 'exact',
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
  secrets: 'digits',
  options: [
    ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
    ...(['precision', 'scale', 'storage'] as const),
  ],

  /** Reads a value of a query or a path without leading zeros, trailing zeros or `-0`: `'007.50'` → `'7.5'`. */
  fromText(text, column) {
    const match = text.length > longest ? null : /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text)
    if (match === null) return { expected }
    const whole = withoutLeadingZeros(match[2] ?? '0')
    const fraction = withoutEndZeros(match[3] ?? '')
    // Without `precision` and `scale`: at most 60 digits before the point, and 30 after it.
    const scale = column.scale ?? 30
    if (fraction.length > scale) {
      const fewer = `a decimal number with at most ${scale} digits after the point`
      return { expected: expectation('too_precise', { max: scale }, fewer) }
    }
    // `precision` counts the digits before and after the point.
    const wholeDigits = (column.precision ?? 60) - (column.scale ?? 0)
    if (whole !== '0' && whole.length > wholeDigits) {
      const shorter = `a decimal number with at most ${wholeDigits} digits before the point`
      return { expected: expectation('too_many_digits', { max: wholeDigits }, shorter) }
    }
    const digits = fraction === '' ? whole : `${whole}.${fraction}`
    return { value: match[1] === '-' && digits !== '0' ? `-${digits}` : digits }
  },
  /** Takes a string of digits, or a JSON number with few digits; `read` converts these as `fromText` does. */
  fromJson: (json, column, read) => fromExactNumber(json, (digits) => read(column, digits)),
  canonicalTest: neverCanonical,
  /** Whether a default or an `enum` member of a model is a decimal. */
  fits: (value) => isString(value) && /^-?\d+(\.\d+)?$/.test(value),
  /** Returns the value of a query that equals a value of a response: `'12.50'` → `'12.5'`. */
  queryValue(json) {
    if (!json.includes('.')) return json
    const short = withoutEndZeros(json)
    return short.endsWith('.') ? short.slice(0, -1) : short
  },
  /** Writes a key as responses show it, with all digits of the scale: `'12.5'` → `'12.50'` at scale 2. `NaN` stays as it is. */
  pathText(text, { scale = 0 }) {
    if (scale === 0 || !/^-?[0-9]/.test(text)) return text
    const [whole = '', fraction = ''] = text.split('.')
    return `${whole}.${fraction.padEnd(scale, '0')}`
  },
  fromCursor: 'asFilters',

  schema: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' },
  example: ({ scale }) => (scale === undefined ? '12.5' : (12.5).toFixed(scale)),
  hasPlainSchema: false,
}
