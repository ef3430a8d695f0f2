// Strict parsers of ISO 8601 dates and times, which never use the local time zone (docs/reference/query-language.md).

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

/** Parses a time: `HH:MM` or `HH:MM:SS` → `HH:MM:SS`; undefined if it is not one. */
export function parseTime(text: string): string | undefined {
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?$/.exec(text)
  return match === null ? undefined : `${match[1]}:${match[2]}:${match[3] ?? '00'}`
}

/**
 * Parses ISO 8601 → `YYYY-MM-DDTHH:MM:SS.sssZ`; undefined if it is not valid. A time without an offset is UTC, and a date alone
 * means its midnight. A space before the offset's hours counts as `+`, because URL decoding turns `+` into a space. Digits beyond
 * the millisecond must be zero, because `eq` compares whole milliseconds.
 */
export function parseDatetime(text: string): string | undefined {
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
  return /^[0-9]{4}-/.test(iso) && iso >= '0001' ? iso : undefined
}

/** The format of datetimes in responses, which clients usually send back. In a match, only the date can still be invalid. */
const canonical =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/

function offsetMinutes(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0
  const match = /^([-+ ])([0-9]{2}):?([0-9]{2})?$/.exec(text)
  const hours = Number(match?.[2])
  const minutes = Number(match?.[3] ?? 0)
  if (match === null || hours > 23 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
