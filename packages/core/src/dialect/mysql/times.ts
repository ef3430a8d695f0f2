// The values of MySQL's TIME that are no times of a day: negative ones, and those of a day or more.

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

/** Compares with a whole second: a stored time is served without its fraction, a negative one too. */
export function compareSecond(ref: Ref, operator: Comparison, time: string): Test {
  // There is no second beyond the largest, and MySQL would take the next one for it.
  if (time.endsWith('838:59:59')) return plainCompare(ref, operator, time)
  if (!time.startsWith('-')) return rangeCompare(ref, operator, time, nextSecond(time))
  // From just after the second before to the second itself; `-00:00:00` stands for fractions alone.
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
