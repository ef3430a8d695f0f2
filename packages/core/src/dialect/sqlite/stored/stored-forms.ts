// SQLite has no types for dates, times, booleans and UUIDs, so other programs store them in several formats. Expressions that convert a
// stored value to one format, so that it compares and sorts as what it represents: `2024-05-14T10:30Z` and `2024-05-14 10:30:00` are equal.
// A value in no known format stays as it is.

import { sql } from '../../../lib/sql/fragment.ts'
import type { Ref } from '../../shared/sql/sql-parts.ts'

/**
 * Converts text to `YYYY-MM-DD HH:MM:SS.ffffff` in UTC, without digits beyond the microsecond; NULL if it is not a datetime.
 * `instantOf` in `stored-values.ts` reads the same texts.
 */
function instant(ref: Ref): Ref {
  // `rest` is what follows the seconds and their fraction; `zone` is the same with the colon that SQLite requires in offsets.
  const rest = sql`ltrim(substr(${ref}, 20), '.0123456789')`
  const zone = sql`case length(${rest}) when 3 then ${rest} || ':00' when 5 then substr(${rest}, 1, 3) || ':' || substr(${rest}, 4) else ${rest} end`
  const utc = sql`strftime('%Y-%m-%d %H:%M:%S', substr(${ref}, 1, 19) || ${zone})`
  const digits = sql`substr(${ref}, 21, max(length(${ref}) - 20 - length(${rest}), 0))`
  // Two patterns, because D1 refuses patterns of more than 50 characters.
  return sql`case when substr(${ref}, 1, 10) glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' and (length(${ref}) = 10 or substr(${ref}, 11) glob '[ T][0-9][0-9]:[0-9][0-9]*') then ${utc} || '.' || substr(${digits} || '000000', 1, 6) end`
}

/**
 * Whether the text has the format in which the service writes datetimes (23 characters), or that of `current_timestamp` (19). Testing the length is three times as fast as
 * parsing.
 */
const hasServiceForm = (ref: Ref, length: number): Ref =>
  length === 23
    ? sql`length(${ref}) = 23 and substr(${ref}, 11, 1) = ' ' and substr(${ref}, 23) <= '9' and ${ref} >= '0001'`
    : sql`length(${ref}) = 19 and substr(${ref}, 11, 1) = ' ' and ${ref} >= '0001'`

/** Converts a time to `HH:MM:SS.ffffff`. */
export function exactTimeForm(ref: Ref): Ref {
  const rest = sql`ltrim(substr(${ref}, 9), '.0123456789')`
  const digits = sql`substr(${ref}, 10, max(length(${ref}) - 9 - length(${rest}), 0))`
  const seconds = sql`substr(${ref}, 1, 8) || '.' || substr(${digits} || '000000', 1, 6)`
  return sql`case when ${isSeconds(ref)} then ${seconds} when ${isMinutes(ref)} then substr(${ref}, 1, 5) || ':00.000000' else ${ref} end`
}

const isSeconds = (ref: Ref): Ref =>
  sql`(${ref} glob '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]' or ${ref} glob '[0-9][0-9]:[0-9][0-9]:[0-9][0-9][.Zz+ -]*')`

const isMinutes = (ref: Ref): Ref =>
  sql`(${ref} glob '[0-9][0-9]:[0-9][0-9]' or ${ref} glob '[0-9][0-9]:[0-9][0-9][Zz+ -]*')`

const isDay = (ref: Ref): Ref =>
  sql`(${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' or ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][ T]*') and ${ref} >= '0001'`

/** Converts a stored boolean to 1 or 0. SQLite orders numbers before text, so `< ''` finds numbers; a number is true unless it is 0. */
export const truth = (ref: Ref): Ref =>
  sql`case when ${ref} < '' then ${ref} <> 0 when lower(${ref}) in ('true', 't', 'yes', 'y', 'on', '1', '1.0') then 1 when lower(${ref}) in ('false', 'f', 'no', 'n', 'off', '0', '0.0') then 0 else ${ref} end`

/** Converts a UUID to lower case. */
export const lowerUuidSql = (ref: Ref): Ref =>
  sql`case when length(${ref}) = 36 and ${ref} not glob '*[^0-9A-Fa-f-]*' then lower(${ref}) else ${ref} end`

/** Whether a stored value is a number, or a text that is the JSON of one. */
export const isStoredNumber = (ref: Ref): Ref =>
  sql`(${ref} < '' or (${ref} glob '[0-9-]*' and json_valid(${ref})))`

/** Converts a datetime to `YYYY-MM-DD HH:MM:SS.ffffff`, for comparisons. */
export const exactDatetimeForm = (ref: Ref): Ref =>
  sql`case when ${hasServiceForm(ref, 23)} then ${ref} || '000' when ${hasServiceForm(ref, 19)} then ${ref} || '.000000' else ifnull(${instant(ref)}, ${ref}) end`

/** Converts a datetime to `YYYY-MM-DD HH:MM:SS.fff`, for responses. */
export const servedDatetime = (ref: Ref): Ref =>
  sql`case when ${hasServiceForm(ref, 23)} then ${ref} when ${hasServiceForm(ref, 19)} then ${ref} || '.000' else ifnull(substr(${instant(ref)}, 1, 23), ${ref}) end`

/** Converts a date, or the date of a datetime, to `YYYY-MM-DD`. */
export const exactDate = (ref: Ref): Ref =>
  sql`case when ${isDay(ref)} then substr(${ref}, 1, 10) else ${ref} end`

/** Converts a time to `HH:MM:SS`, for responses. */
export const servedTime = (ref: Ref): Ref =>
  sql`case when ${isSeconds(ref)} then substr(${ref}, 1, 8) when ${isMinutes(ref)} then substr(${ref}, 1, 5) || ':00' else ${ref} end`
