// The column type date: days of the years 0001 to 9999, such as `2024-05-14`. Accepts ISO 8601 alone. `parseDate` also reads the date of a
// datetime.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import { fromString, isString, sameText, type TypeDefinition } from '../type-definition.ts'

/** Returns `text` if it is the `YYYY-MM-DD` of an existing day in the years 0001 to 9999; otherwise undefined. */
export function parseDate(text: string): string | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined
  const year = digitsOf(text, 0, 4)
  const month = digitsOf(text, 5, 7)
  const day = digitsOf(text, 8, 10)
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
    ? text
    : undefined
}

/** Reads the digits from `from` to `to` as a number, without making a substring. */
function digitsOf(text: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) number = 10 * number + text.charCodeAt(at) - 48
  return number
}

/** The days of each month of a year that is not a leap year. */
const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return (days[month - 1] ?? 0) + (leap && month === 2 ? 1 : 0)
}

const expected = expectedType('date', 'a date such as 1925-05-14')

export const dateType: TypeDefinition = {
  json: 'string',
  number: false,
  text: false,
  comparison: 'ordered',
  fromClock: (iso) => iso.slice(0, 10),
  standsForRange: true,
  responsesLoseDigits: false,
  isShownInFull: true,
  hasOneJsonForm: false,
  hasOneKeyText: true,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: ['managed'],

  fromText(text) {
    const value = parseDate(text)
    return value === undefined ? { expected } : { value }
  },
  fromJson: fromString,
  canonicalTest: () => (json) => isString(json) && parseDate(json) !== undefined,
  fits: isString,
  queryValue: sameText,
  pathText: sameText,
  fromCursor: 'asFilters',

  schema: { type: 'string', format: 'date' },
  example: () => '2024-05-14',
  hasPlainSchema: true,
}
