// Values of MySQL's TIME that are not times of a day: negative ones, and those of 24 hours or more, up to `838:59:59` (longTimes). And how
// a TIME is compared with a whole second (compareSecond) and with a list of them (timesInOrder, secondAround).

import type { SqlBool } from 'kysely'
import { sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { Comparison } from '../../../model/query-words/operators.ts'
import type { SpecialValues } from '../../../model/type-definition.ts'
import { plainCompare, type Ref, rangeCompare, type SqlTest } from '../../shared/sql/sql-parts.ts'
import { nextSecond } from '../../shared/values/calendar-text.ts'

const long =
  '(-[0-9]{2}|-?([1-7][0-9]{2}|8[0-2][0-9]|83[0-8])|2[4-9]|[3-9][0-9]):[0-5][0-9]:[0-5][0-9]'

// Times in cursors have six fractional digits.
const whole = new RegExp(`^${long}([.][0-9]{6})?$`)

/** The times that only MySQL and MariaDB store, which clients may read and send back. */
export const longTimes: SpecialValues = {
  // No other database agrees that it is a time.
  isOnlyShown: (text) => text === '24:00:00',
  pattern: `^${long}$`,
  read: (text) => (whole.test(text) ? text : undefined),
}

/**
 * Compares with a whole second: responses omit the fraction of a stored time, so `time` equals every stored time that is shown as
 * `time`.
 */
export function compareSecond(ref: Ref, operator: Comparison, time: Param<string>): SqlTest {
  const side = time.decide(sideOf)
  if (side === 'limit') return plainCompare(ref, operator, time)
  if (side === 'positive') return rangeCompare(ref, operator, time, time.map(nextSecond))
  // Responses show every stored time that is later than `-00:00:06` and at most `-00:00:05` as `-00:00:05`. They show only the
  // fractions between `-00:00:01` and zero as `-00:00:00`.
  const after = sql<SqlBool>`${ref} > ${time.map((text) => `-${nextSecond(text.slice(1))}`)}`
  const until =
    side === 'negative zero'
      ? sql<SqlBool>`${ref} < ${'00:00:00'}`
      : sql<SqlBool>`${ref} <= ${time}`
  switch (operator) {
    case 'eq':
      return sql<SqlBool>`(${after} and ${until})`
    case 'ne':
      return sql<SqlBool>`not (${after} and ${until})`
    case 'lt':
      return sql<SqlBool>`not (${after})`
    case 'ge':
      return after
    case 'le':
      return until
    case 'gt':
      return sql<SqlBool>`not (${until})`
  }
}

/** 838:59:59 and -838:59:59 are the limits of TIME: MySQL would replace the next second by the limit. */
function sideOf(time: string): 'limit' | 'positive' | 'negative' | 'negative zero' {
  if (time.endsWith('838:59:59')) return 'limit'
  if (!time.startsWith('-')) return 'positive'
  return time === '-00:00:00' ? 'negative zero' : 'negative'
}

/** Sorts whole seconds in ascending order. */
export function timesInOrder(times: readonly string[]): readonly string[] {
  return [...times].sort(
    // `-00:00:00` comes before `00:00:00`.
    (time, other) => secondsOf(time) - secondsOf(other) || (time < other ? -1 : 1),
  )
}

function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.replace('-', '').split(':').map(Number)
  const total = hours * 3600 + minutes * 60 + seconds
  return time.startsWith('-') ? -total : total
}

/** A range that contains every stored time that responses show as `time`, and others. */
export function secondAround(time: string): readonly [low: string, high: string] {
  // 838:59:59 and -838:59:59 are the limits of TIME.
  if (time.endsWith('838:59:59')) return [time, time]
  return time.startsWith('-') ? [`-${nextSecond(time.slice(1))}`, time] : [time, nextSecond(time)]
}
