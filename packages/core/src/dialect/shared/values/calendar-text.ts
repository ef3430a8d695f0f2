// Converts dates and times from the text of databases to their JSON forms. Everything is in UTC; the time zone of the process
// has no effect.

/**
 * Date (groups 1 to 3), time and fraction (4 to 7), Z (8) or the sign and the parts of an offset (9 to 12), and era (13). Offsets of a
 * local mean time have seconds.
 */
const timestamp =
  /^(\d{4,7})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)? ?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?( BC)?$/i

/** The common format, which is converted without parsing: four-digit year, blank or T, seconds, UTC. */
const usual = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00(?::?00)?)?$/

/**
 * Converts a stored datetime to `YYYY-MM-DDTHH:MM:SS.sssZ`, without digits beyond the millisecond. Text without an offset is UTC.
 * PostgreSQL's `infinity` and `-infinity` are returned unchanged; MySQL's zero dates are converted like other dates. Years beyond
 * 9999 are written as in ISO 8601: `+012024-…`.
 */
export function isoDatetime(text: string): string {
  if (usual.test(text)) {
    const fraction = text.charCodeAt(19) === point ? digitsFrom(text, 20) : ''
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  }
  if (isInfinity(text)) return text
  const match = timestamp.exec(text)
  if (match === null) throw new Error(`not a date and time in ISO form: "${text}"`)
  const group = (at: number): number => Number(match[at] ?? 0)
  const year = match[13] ? 1 - group(1) : group(1)
  // JavaScript's dates end before those of PostgreSQL do.
  if (year > 270_000) {
    const fraction = (match[7] ?? '').slice(0, 3).padEnd(3, '0')
    const clock = [4, 5, 6].map((at) => match[at] ?? '00').join(':')
    return `+${String(year).padStart(6, '0')}-${match[2]}-${match[3]}T${clock}.${fraction}Z`
  }
  const moment = new Date(0)
  moment.setUTCFullYear(year, group(2) - 1, group(3))
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  moment.setUTCHours(group(4), group(5), group(6), milliseconds)
  const offset = (group(10) * 60 + group(11)) * 60 + group(12)
  moment.setTime(moment.getTime() - (match[9] === '-' ? -offset : offset) * 1000)
  return moment.toISOString()
}

/** Converts a stored date to `YYYY-MM-DD`; treats infinities, zero dates and years beyond 9999 as `isoDatetime` does. */
export function isoDate(text: string): string {
  if (/^\d{4}-\d\d-\d\d(?:$|[ T])/.test(text) && !text.endsWith('BC')) return text.slice(0, 10)
  return isoDatetime(text).replace(/T.*$/, '')
}

/** Converts a stored time to `HH:MM:SS`, without fraction and offset. */
export function isoTime(text: string): string {
  return text.replace(/[.+Z].*$|(?<=:\d\d)-.*$/, '')
}

/**
 * Returns the instant one millisecond later, or one microsecond if `iso` has six fractional digits. The year after 9999 is written
 * 10000.
 */
export function nextMillisecond(iso: string): string {
  const micros = /\.([0-9]{3})([0-9]{3})Z$/.exec(iso)
  if (micros !== null && micros[2] !== '999') {
    return `${iso.slice(0, -4)}${String(Number(micros[2]) + 1).padStart(3, '0')}Z`
  }
  if (micros !== null) return nextMillisecond(`${iso.slice(0, -4)}Z`)
  return new Date(Date.parse(iso) + 1).toISOString().replace(/^\+0*/, '')
}

/** Converts a stored datetime to `YYYY-MM-DDTHH:MM:SS.ssssssZ`; infinities are returned unchanged. */
export function exactDatetime(text: string): string {
  const iso = isoDatetime(text)
  if (isInfinity(iso)) return iso
  const fraction = /\.([0-9]{1,6})/.exec(text)?.[1] ?? ''
  return `${iso.slice(0, -4)}${fraction.padEnd(6, '0')}Z`
}

/** Converts a stored time to `HH:MM:SS.ssssss`. */
export function exactTime(text: string): string {
  const fraction = /\.([0-9]{1,6})/.exec(text)?.[1] ?? ''
  return `${isoTime(text)}.${fraction.padEnd(6, '0')}`
}

/**
 * Returns the time one second later, or one microsecond if `time` has a fraction. After `23:59:59` comes `24:00:00`, which is later
 * than every time of a day.
 */
export function nextSecond(time: string): string {
  const [whole = '', fraction] = time.split('.')
  if (fraction !== undefined) {
    const next = Number(fraction) + 1
    return next === 1_000_000 ? nextSecond(whole) : `${whole}.${String(next).padStart(6, '0')}`
  }
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const total = hours * 3600 + minutes * 60 + seconds + 1
  const part = (value: number): string => String(value).padStart(2, '0')
  return `${part(Math.floor(total / 3600))}:${part(Math.floor(total / 60) % 60)}:${part(total % 60)}`
}

/** `2024-05-14T10:30:00.000Z` → `2024-05-14 10:30:00.000` */
export function blankForm(iso: string): string {
  return iso.replace('T', ' ').replace('Z', '')
}

/** The code of `.`. */
const point = 0x2e

/** The digits that begin at `start`. */
function digitsFrom(text: string, start: number): string {
  let end = start
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end += 1
  return text.slice(start, end)
}

const isInfinity = (text: string): boolean => text === 'infinity' || text === '-infinity'
