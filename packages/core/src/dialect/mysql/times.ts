// Values of MySQL's TIME outside of a day: negative ones, and those of 24 hours or more.

import type { SqlBool } from 'kysely'
import type { SpecialValues } from '../../model/type-rules.ts'
import { sql } from '../../sql/fragment.ts'
import { nextSecond } from '../shared/calendar-text.ts'
import {
  type Comparison,
  plainCompare,
  type Ref,
  rangeCompare,
  type Test,
} from '../shared/sql-parts.ts'

const long =
  '(-[0-9]{2}|-?([1-7][0-9]{2}|8[0-2][0-9]|83[0-8])|2[4-9]|[3-9][0-9]):[0-5][0-9]:[0-5][0-9]'

// Cursors hold microseconds.
const whole = new RegExp(`^${long}([.][0-9]{6})?$`)

export const longTimes: SpecialValues = {
  pattern: `^${long}$`,
  read: (text) => (whole.test(text) ? text : undefined),
}

/** Compares with a whole second, because responses show a stored time without its fraction, also a negative one. */
export function compareSecond(ref: Ref, operator: Comparison, time: string): Test {
  // There is no second after the largest TIME; MySQL would reduce it to the largest.
  if (time.endsWith('838:59:59')) return plainCompare(ref, operator, time)
  if (!time.startsWith('-')) return rangeCompare(ref, operator, time, nextSecond(time))
  // The range from just after the previous second to this second; `-00:00:00` includes the fractions below zero only.
  const after = sql<SqlBool>`${ref} > ${`-${nextSecond(time.slice(1))}`}`
  const isZero = time === '-00:00:00'
  const until = isZero ? sql<SqlBool>`${ref} < ${'00:00:00'}` : sql<SqlBool>`${ref} <= ${time}`
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
