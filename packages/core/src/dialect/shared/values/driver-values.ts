// How the driver returns values that a statement of the application selects as they are stored, and their conversion to the texts that
// decoders read. The service's own statements select such values as text. `toRecord` in hooks needs it.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import type { Fragment } from '../../../lib/sql/fragment.ts'
import { rowsOf } from '../../../lib/sql/statement.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { blankForm } from './calendar-text.ts'

/** What a driver makes of values. It is asked with a statement, because applications set parsers and time zones of drivers. */
export interface DriverValues {
  /**
   * The time zone as whose time the driver reads a datetime without one, to make a Date: that of the process, or a number of milliseconds
   * ahead of UTC.
   */
  readonly zone: 'process' | number
  /** Whether JSON arrives parsed. */
  readonly parsesJson: boolean
}

/** What `pg` and `mysql2` do by default. */
export const usualDriver: DriverValues = { zone: 'process', parsesJson: true }

/**
 * The expressions of the statement that finds it out: a datetime without time zone of this text, and the JSON text `"1"` as a value of the
 * type.
 */
export interface DriverProbes {
  readonly moment: (text: string) => Fragment
  readonly json: Fragment
}

/** Datetimes in winter and in summer, so that a zone whose clocks change is told from one of a fixed offset. */
const probes = ['2001-01-15T12:00:00.000Z', '2001-07-15T12:00:00.000Z'] as const

/** Finds out what the driver makes of datetimes and of JSON. */
export async function lookUpDriverValues(
  db: AnyDatabase,
  { moment, json }: DriverProbes,
): Promise<DriverValues> {
  const [winter, summer] = probes
  const [row] = await rowsOf<Readonly<Record<'w' | 's' | 'j', unknown>>>(db)`
    select ${moment(blankForm(winter))} as w, ${moment(blankForm(summer))} as s, ${json} as j`
  return { zone: zoneOf([row?.w, row?.s]), parsesJson: row?.j !== '"1"' }
}

/** `raws` are what the driver has made of `probes`. */
function zoneOf(raws: readonly unknown[]): DriverValues['zone'] {
  const [first] = raws
  // The driver returns datetimes as text, so that no Date is read and any zone would do.
  if (!(first instanceof Date)) return 'process'
  const isOfProcess = raws.every((raw, i) => isoIn(raw as Date, 'process') === probes[i])
  return isOfProcess ? 'process' : Date.parse(probes[0]) - first.getTime()
}

/** The time of a zone at a moment, as if it were UTC. */
function isoIn(date: Date, zone: DriverValues['zone']): string {
  if (zone !== 'process') return new Date(date.getTime() + zone).toISOString()
  const utc = new Date(0)
  utc.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate())
  utc.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds())
  return utc.toISOString()
}

/** Returns the JSON form of a datetime without time zone that the driver has read as a Date. Throws if the Date does not tell it. */
export function driverMoment(column: DialectColumn, date: Date, { zone }: DriverValues): string {
  if (zone === 'process' && followsSkippedTime(requireValidDate(column, date))) {
    throw new TypeError(
      `The driver reads "${column.name}" as a time of the process's time zone, which sets its clocks forward at that moment, so that two values give the same Date. Set the driver to read datetimes as UTC or as text (\`timezone: 'Z'\` or \`dateStrings: true\` of mysql2, a type parser of pg).`,
    )
  }
  return isoIn(requireValidDate(column, date), zone)
}

/** Milliseconds of a minute, and of the longest time that a zone has skipped and a little more. */
const minute = 60_000
const longestSkip = 26 * 60 * minute

/**
 * Whether clocks of the process's zone were set forward less than the skipped time before: a text of the skipped time gives the same
 * Date as one of the time after it.
 */
function followsSkippedTime(date: Date): boolean {
  const offset = date.getTimezoneOffset()
  const before = new Date(date.getTime() - longestSkip).getTimezoneOffset()
  const skipped = (before - offset) * minute
  return skipped > 0 && new Date(date.getTime() - skipped).getTimezoneOffset() === before
}

/**
 * Returns the JSON form of a date that the driver has read as a Date: midnight in the zone in which it reads datetimes, in UTC or in the zone
 * of the process.
 */
export function driverDay(column: DialectColumn, date: Date, { zone }: DriverValues): string {
  const zones = [zone, 0, 'process'] as const
  const isos = zones.map((each) => isoIn(requireValidDate(column, date), each))
  // The process has no midnight on days on which its clocks are set forward at that time.
  const iso = isos.find((text) => text.endsWith('T00:00:00.000Z')) ?? isoIn(date, 'process')
  return iso.slice(0, iso.indexOf('T'))
}

function requireValidDate(column: DialectColumn, date: Date): Date {
  if (!Number.isNaN(date.getTime())) return date
  throw new TypeError(
    `The driver returns an invalid Date for a value of "${column.name}", such as a zero date. Select the column as text.`,
  )
}

/**
 * Refuses a number whose last digits the driver may have rounded, so that no response shows a wrong number. A decimal of at most 15
 * digits survives the conversion to a double and back; with more, or beyond 2^53, digits may be lost.
 */
export function exactNumber(column: DialectColumn, raw: unknown): unknown {
  if (typeof raw !== 'number' || Number.isSafeInteger(raw) || !Number.isFinite(raw)) return raw
  const digits = String(Math.abs(raw)).replace(/e.*|^0\.0*|\./g, '')
  // `1e20` shows one digit, but may have been 100000000000000000001.
  if (digits.length <= 15 && Math.abs(raw) < Number.MAX_SAFE_INTEGER) return raw
  throw new TypeError(
    `The driver returns a number for "${column.name}" whose digits it may have rounded. Set the driver to return such values as strings, or select the column as text.`,
  )
}

/** Refuses an object that the driver has made of a value whose text is shown. */
export function refuseObject(column: DialectColumn, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw
  throw new TypeError(
    `The driver returns an object for "${column.name}", which does not tell the text of the value. Select the column as text.`,
  )
}

/** The text of a JSON value. `isParsed`: the driver has parsed it, so that a string is the content of a JSON string, and no JSON text. */
export const jsonTextOf = (raw: unknown, isParsed: boolean): unknown =>
  isParsed || typeof raw !== 'string' ? JSON.stringify(raw) : raw
