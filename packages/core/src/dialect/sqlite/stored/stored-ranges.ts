// Comparisons of dates, times and datetimes with a value (compareStored) and with a list (storedNear) that are correct for every stored
// format, and can use an index on the plain column.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import { sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import { tableOf } from '../../../lib/sql/table-name.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { Comparison } from '../../../model/query-words/operators.ts'
import {
  byText,
  padded,
  plainCompare,
  type Ref,
  rangeCompare,
  type SqlTest,
} from '../../shared/sql/sql-parts.ts'
import { blankForm } from '../../shared/values/calendar-text.ts'
import type { StoredPlace } from './canonical-columns.ts'
import { exactForm, servedForm, sqliteTypes } from './sqlite-types.ts'

/**
 * The limits of a comparison with one value. A stored value equals it if its exact form, that of `exactForm`, is at or after `from`
 * and before `next`.
 *
 * `low` and `high` are limits of the text as stored. Text before `low` represents an earlier value, text at or after `high` a later
 * one. So a condition on the plain column can use its index, and the exact form is computed only for text between `low` and `high`.
 */
interface Span {
  readonly from: string
  readonly next: string
  readonly low: string
  readonly high: string
  /** For equality: ranges of stored text that are shorter than `low` to `high` and together contain all equal values. */
  readonly parts?: readonly TextRange[]
}

/**
 * `column <operator> value`: first compares the plain column, which can use its index, and computes the exact form only where that
 * does not decide. `zoned`: the column may contain datetimes with an offset.
 *
 * `day__ge=2024-05-14` → `(day >= '2024-05-14' and (day >= '2024-05-15' or <exact form> >= '2024-05-14'))`
 */
export function compareStored(
  column: DialectColumn,
  ref: Ref,
  operator: Comparison,
  value: Param<string>,
  zoned: boolean,
): SqlTest {
  // `ref` is the key of a group, or a minimum or maximum with microseconds.
  if (column.comparable) {
    const limits = value.share((text) => bounds(column, text))
    return rangeCompare(
      ref,
      operator,
      limits.map(([text]) => text),
      limits.map(([, next]) => next),
    )
  }
  if (operator === 'eq') {
    const near = storedNear(
      column,
      ref,
      value.map((text) => [text]),
      zoned,
    )
    return sql<SqlBool>`(${near} and ${equalsOne(column, ref, value)})`
  }
  const exact = exactForm(column, ref)
  const span = value.share((text) => spanOf(column, text, zoned))
  const [from, next] = [span.map((limits) => limits.from), span.map((limits) => limits.next)]
  const [low, high] = [span.map((limits) => limits.low), span.map((limits) => limits.high)]
  switch (operator) {
    case 'ne':
      return sql<SqlBool>`(${ref} < ${low} or ${ref} >= ${high} or ${exact} < ${from} or ${exact} >= ${next})`
    case 'lt':
      return sql<SqlBool>`(${ref} < ${high} and (${ref} < ${low} or ${exact} < ${from}))`
    case 'ge':
      return sql<SqlBool>`(${ref} >= ${low} and (${ref} >= ${high} or ${exact} >= ${from}))`
    case 'le':
      return sql<SqlBool>`(${ref} < ${high} and (${ref} < ${low} or ${exact} < ${next}))`
    case 'gt':
      return sql<SqlBool>`(${ref} >= ${low} and (${ref} >= ${high} or ${exact} >= ${next}))`
  }
}

/** The most ranges in the condition of a list. The planner takes seconds for a query with a hundred lists of 30 ranges. */
const mostRanges = 4

/**
 * Tests by which an index finds the values of a list, and perhaps others: ranges of the plain column that contain all stored forms of
 * the values. If there are many, a subquery finds the stored values within the ranges of one JSON array, by the index of the column
 * `stored`; undefined if there are many and no `stored` is given. The length of the list alone determines the SQL, so that lists share
 * statements.
 */
export function storedNear(
  column: DialectColumn,
  ref: Ref,
  values: Param<readonly string[]>,
  zoned: boolean,
  stored?: StoredPlace,
): SqlTest | undefined {
  const ranges = values.share((all) =>
    padded(all).flatMap((value): readonly TextRange[] => {
      const { low, high, parts = [[low, high]] } = spanOf(column, value, zoned)
      return parts
    }),
  )
  const count = ranges.decide(({ length }) => length)
  if (count <= mostRanges) {
    const each = ranges
      .items(count)
      .map(
        (range) =>
          sql`(${ref} >= ${range.map(([low]) => low)} and ${ref} < ${range.map(([, high]) => high)})`,
      )
    return sql<SqlBool>`(${sql.join(each, sql` or `)})`
  }
  return stored && sql<SqlBool>`${ref} in (${storedWithin(stored, ranges.map(merged))})`
}

/** From `low` to before `high`. */
type TextRange = readonly [low: string, high: string]

/** Merges ranges that overlap, so that the subquery reads each stored value once; the ranges of two values of one day may be the same. */
function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const all: [low: string, high: string][] = []
  for (const [low, high] of ranges.toSorted(([low], [otherLow]) => byText(low, otherLow))) {
    const last = all[all.length - 1]
    if (last === undefined || low > last[1]) all.push([low, high])
    else if (high > last[1]) last[1] = high
  }
  return all
}

/** Selects the stored values of a column that are within the ranges, by an index of the column. */
function storedWithin(
  { schema, table, dbName }: StoredPlace,
  ranges: Param<readonly TextRange[]>,
): Ref {
  const [wanted, rows] = [sql.id('model_api_wanted'), sql.id('model_api_stored')]
  const [range, value] = [sql.id('model_api_wanted', 'value'), sql.id('model_api_stored', dbName)]
  // SQLite does not change the order of a CROSS JOIN.
  const tables = sql`json_each(${ranges.map((all) => JSON.stringify(all))}) as ${wanted} cross join ${tableOf({ schema, table })} as ${rows}`
  return sql`select ${value} from ${tables} where ${value} >= json_extract(${range}, '$[0]') and ${value} < json_extract(${range}, '$[1]')`
}

/** Tests the converted value: with the precision of responses, or exactly if the value has six fractional digits. */
function equalsOne(column: DialectColumn, ref: Ref, value: Param<string>): SqlTest {
  const isExact = value.decide((text) => /\.\d{6}Z?$/.test(text))
  const form = isExact ? exactForm(column, ref) : servedForm(column, ref)
  return plainCompare(
    form,
    'eq',
    sqliteTypes[column.type].calendar === 'datetime' ? value.map(blankForm) : value,
  )
}

/** Returns the value as stored text, and the first text that sorts after the exact forms of all stored values that equal the value. */
function bounds({ type }: DialectColumn, value: string): readonly [text: string, next: string] {
  const { calendar } = sqliteTypes[type]
  if (calendar === 'date') return [value, nextText(value)]
  if (calendar === 'time') return [value, afterDigits(value, 8)]
  const text = blankForm(value)
  return [text, afterDigits(text, 23)]
}

function spanOf(column: DialectColumn, value: string, zoned: boolean): Span {
  const [text, next] = bounds(column, value)
  const { calendar } = sqliteTypes[column.type]
  if (calendar === 'date') return { from: text, next, low: value, high: nextDay(value) }
  const from = sixDigits(text)
  if (calendar === 'time') {
    // `10:30Z` sorts after `10:30:59`, so the limits are those of the minute.
    const minute = value.slice(0, 5)
    return { from, next, low: minute, high: `${minute}~` }
  }
  if (zoned) {
    // SQLite accepts offsets of less than 15 hours.
    return { from, next, low: dayOf(value, -15), high: nextDay(dayOf(value, 15)) }
  }
  const low = shortest(from)
  const high = `${laterSecond(from)}:`
  const withT = (text: string): string => text.replace(' ', 'T')
  const parts = [
    [low, high],
    [withT(low), withT(high)],
  ] as const
  return { from, next, low, high: withT(high), parts }
}

/** Returns the next second. Followed by `:`, it sorts after every stored text of this second, also with a fraction or time zone. */
function laterSecond(text: string): string {
  const later = new Date(Date.parse(`${text.slice(0, 19)}Z`) + 1000).toISOString()
  return /^\d{4}-/.test(later) ? later.slice(0, 19).replace('T', ' ') : '9999-12-31 23:59:60'
}

/** Adds fractional digits up to six: `10:30:00` → `10:30:00.000000` */
function sixDigits(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

/** Returns the shortest text that may be stored for the same instant: without a zero fraction, zero seconds, or midnight. */
const shortest = (text: string): string =>
  text
    .replace(/\.?0+$/, '')
    .replace(/^(.*\d\d:\d\d):00$/, '$1')
    .replace(/ 00:00$/, '')

const nextText = (text: string): string => `${text}\u0001`

/**
 * Returns the first text after all texts with six fractional digits that begin with `text`. A text longer than `length`, the length
 * of values from clients, comes from a cursor and has six fractional digits itself.
 */
function afterDigits(text: string, length: number): string {
  if (text.length > length) return nextText(text)
  return text.includes('.') ? `${text}:` : `${text}.:`
}

function nextDay(day: string): string {
  const start = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(start)) return nextText(day)
  const next = new Date(start + 86_400_000).toISOString()
  // After the year 9999: `:`, which sorts after all texts that begin with a digit.
  return /^\d{4}-/.test(next) ? next.slice(0, 10) : ':'
}

/** Returns the date `hours` after `iso`, clamped to the years 0000 to 9999. */
function dayOf(iso: string, hours: number): string {
  const day = new Date(Date.parse(`${iso.slice(0, 19)}Z`) + hours * 3_600_000).toISOString()
  if (/^\d{4}-/.test(day)) return day.slice(0, 10)
  return hours < 0 ? '0000-01-01' : '9999-12-31'
}
