// SQL that converts a stored value from any of several formats to one, so that it compares and sorts as the value that it represents.

import { sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { natural, type Ref } from '../../shared/sql/sql-parts.ts'

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

/** Whether the text has the format of this library or of `current_timestamp`. Testing the length is three times as fast as parsing. */
const isBlankForm = (ref: Ref, length: number): Ref =>
  length === 23
    ? sql`length(${ref}) = 23 and substr(${ref}, 11, 1) = ' ' and substr(${ref}, 23) <= '9' and ${ref} >= '0001'`
    : sql`length(${ref}) = 19 and substr(${ref}, 11, 1) = ' ' and ${ref} >= '0001'`

function exactTime(ref: Ref): Ref {
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
const truth = (ref: Ref): Ref =>
  sql`case when ${ref} < '' then ${ref} <> 0 when lower(${ref}) in ('true', 't', 'yes', 'y', 'on', '1', '1.0') then 1 when lower(${ref}) in ('false', 'f', 'no', 'n', 'off', '0', '0.0') then 0 else ${ref} end`

const lowerUuid = (ref: Ref): Ref =>
  sql`case when length(${ref}) = 36 and ${ref} not glob '*[^0-9A-Fa-f-]*' then lower(${ref}) else ${ref} end`

/** Whether a stored value is a number, or a text that is the JSON of one. */
export const isNumber = (ref: Ref): Ref =>
  sql`(${ref} < '' or (${ref} glob '[0-9-]*' and json_valid(${ref})))`

/** Whether values of the type can be stored in several formats. */
export const hasForms = ({ type }: DialectColumn): boolean =>
  type === 'datetime' || type === 'date' || type === 'time' || type === 'boolean' || type === 'uuid'

/**
 * Converts a value to the format for order and cursors: `YYYY-MM-DD HH:MM:SS.ffffff`, `HH:MM:SS.ffffff`, `YYYY-MM-DD`, 0 or 1, or
 * a uuid in lower case. A value that is not of the type is unchanged; SQLite sorts numbers before text, and text before blobs.
 */
export function exactForm({ type }: DialectColumn, ref: Ref): Ref {
  switch (type) {
    case 'datetime':
      return sql`case when ${isBlankForm(ref, 23)} then ${ref} || '000' when ${isBlankForm(ref, 19)} then ${ref} || '.000000' else ifnull(${instant(ref)}, ${ref}) end`
    case 'time':
      return exactTime(ref)
    case 'date':
      return sql`case when ${isDay(ref)} then substr(${ref}, 1, 10) else ${ref} end`
    case 'boolean':
      return truth(ref)
    case 'uuid':
      return lowerUuid(ref)
    default:
      return ref
  }
}

/** Converts a value to the precision of responses, for groups: datetimes to the millisecond, times to the second. */
export function servedForm(column: DialectColumn, ref: Ref): Ref {
  if (column.type === 'datetime') {
    return sql`case when ${isBlankForm(ref, 23)} then ${ref} when ${isBlankForm(ref, 19)} then ${ref} || '.000' else ifnull(substr(${instant(ref)}, 1, 23), ${ref}) end`
  }
  if (column.type === 'time') {
    return sql`case when ${isSeconds(ref)} then substr(${ref}, 1, 8) when ${isMinutes(ref)} then substr(${ref}, 1, 5) || ':00' else ${ref} end`
  }
  return exactForm(column, ref)
}

/** Returns the first `length` characters of a datetime or date in UTC; NULL if the value is neither. */
export function firstOf(column: DialectColumn, ref: Ref, length: number): Ref {
  const served = servedForm(column, ref)
  return sql`case when ${served} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' then substr(${served}, 1, ${natural(length)}) end`
}
