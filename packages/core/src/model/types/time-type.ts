// The column type time: times of a day to the second, such as `10:30:00`. `parseTime` also reads the time of a datetime.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import {
  fromString,
  isString,
  neverCanonical,
  sameText,
  type TypeDefinition,
} from '../type-definition.ts'

/** Parses a time: `HH:MM` or `HH:MM:SS` → `HH:MM:SS`; undefined if it is not one. */
export function parseTime(text: string): string | undefined {
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?$/.exec(text)
  return match === null ? undefined : `${match[1]}:${match[2]}:${match[3] ?? '00'}`
}

const expected = expectedType('time', 'a time such as 10:30:00')

export const timeType: TypeDefinition = {
  json: 'string',
  number: false,
  text: false,
  comparison: 'ordered',
  fromClock: false,
  standsForRange: true,
  responsesLoseDigits: true,
  isShownInFull: false,
  hasOneJsonForm: false,
  hasOneKeyText: false,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: [],

  fromText(text) {
    const value = parseTime(text)
    return value === undefined ? { expected } : { value }
  },
  fromJson: fromString,
  canonicalTest: neverCanonical,
  fits: isString,
  queryValue: sameText,
  pathText: sameText,
  // Cursors keep six fractional digits, as the databases store them.
  fromCursor: (text) =>
    /^[0-9:]{8}\.[0-9]{6}$/.test(text) && parseTime(text.slice(0, 8)) ? text : undefined,

  schema: { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?$' },
  example: () => '10:30:00',
  hasPlainSchema: false,
}
