// The column type datetime: moments to the millisecond, such as `2024-05-14T10:30:00.000Z`. Accepts ISO 8601 alone; the time zone of the
// process has no effect.
// `type-definition.ts` says what each member decides.

import { expectedType } from '../../lib/problems/expectation.ts'
import { fromString, isString, sameText, type TypeDefinition } from '../type-definition.ts'
import { parseDate } from './date-type.ts'
import { parseTime } from './time-type.ts'

/**
 * Parses ISO 8601 → `YYYY-MM-DDTHH:MM:SS.sssZ`; undefined if it is not valid. A time without an offset is UTC, and a date alone
 * means its midnight. A space before the offset's hours counts as `+`, because URL decoding turns `+` into a space. Digits beyond
 * the millisecond must be zero, because `eq` compares whole milliseconds.
 */
function parseDatetime(text: string): string | undefined {
  if (canonical.test(text)) return parseDate(text.slice(0, 10)) && text
  const match =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.([0-9]{1,9}))?(Z|[-+ ][0-9]{2}(?::?[0-9]{2})?)?)?$/i.exec(
      text,
    )
  const date = match?.[1] && parseDate(match[1])
  if (!match || !date) return undefined
  const time = parseTime(match[2] ?? '00:00')
  const fraction = (match[3] ?? '').padEnd(3, '0')
  const offset = offsetMinutes(match[4] ?? 'Z')
  if (time === undefined || offset === undefined || !/^[0-9]{3}0*$/.test(fraction)) return undefined
  const utc = Date.parse(`${date}T${time}.${fraction.slice(0, 3)}Z`) - offset * 60_000
  const iso = new Date(utc).toISOString()
  // The offset may lead out of the years 0001 to 9999.
  return /^[0-9]{4}-/.test(iso) && iso >= '0001' ? iso : undefined
}

/** The format of datetimes in responses, which clients usually send back. In a match, only the date can still be invalid. */
const canonical =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/

/** `+02:00` → 120; undefined for a wrong offset. */
function offsetMinutes(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0
  const match = /^([-+ ])([0-9]{2}):?([0-9]{2})?$/.exec(text)
  const hours = Number(match?.[2])
  const minutes = Number(match?.[3] ?? 0)
  if (match === null || hours > 23 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

const expected = expectedType(
  'datetime',
  'a date and time such as 2024-05-14T10:30:00Z, to the millisecond at most',
)

export const datetimeType: TypeDefinition = {
  json: 'string',
  number: false,
  text: false,
  comparison: 'ordered',
  fromClock: sameText,
  standsForRange: true,
  responsesLoseDigits: true,
  isShownInFull: false,
  hasOneJsonForm: false,
  hasOneKeyText: false,
  holdsUuid: false,
  isOnlyRead: false,
  secrets: 'none',
  options: ['managed'],

  fromText(text) {
    const value = parseDatetime(text)
    return value === undefined ? { expected } : { value }
  },
  fromJson: fromString,
  canonicalTest: () => (json) =>
    isString(json) && json.length === 24 && parseDatetime(json) === json,
  fits: isString,
  queryValue: sameText,
  pathText: sameText,
  // Cursors keep six fractional digits, as the databases store them.
  fromCursor: (text) =>
    /^[0-9]{4}-[0-9T:-]{14}\.[0-9]{6}Z$/.test(text) && parseDatetime(`${text.slice(0, -4)}Z`)
      ? text
      : undefined,

  schema: { type: 'string', format: 'date-time' },
  example: () => '2024-05-14T10:30:00.000Z',
  hasPlainSchema: true,
}
