// Datetimes and times as ranges of stored values: PostgreSQL stores microseconds, of which responses show milliseconds or seconds. So
// `created__eq=2024-05-14T10:30:00.000Z` compares with everything up to the next millisecond.

import { sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { Comparison } from '../../../model/query-words/operators.ts'
import type { PlanValue } from '../../dialect.ts'
import {
  plainCompare,
  type Ref,
  rangeCompare,
  type SqlTest,
  spanCompare,
} from '../../shared/sql/sql-parts.ts'
import { nextMillisecond, nextSecond } from '../../shared/values/calendar-text.ts'
import { lastText, momentKind, momentText } from './moments.ts'

/** How a type is compared whose values stand for ranges of stored ones. */
export interface MomentSpan {
  /** Fractional digits of a second that a value of a request has. */
  readonly digits: number
  /** What responses show of a stored value. */
  readonly shown: (ref: Ref) => Ref
  /** Whether `shown` is text, and not of the type of the column. */
  readonly isShownAsText: boolean
  /** The first and the last stored value that a value stands for, in the format that PostgreSQL reads. */
  readonly range: (value: string) => readonly [low: string, high: string]
  readonly compare: (ref: Ref, operator: Comparison, value: Param<PlanValue>) => SqlTest
}

/** A datetime of a request stands for a millisecond. */
export const datetimeSpan: MomentSpan = {
  digits: 3,
  shown: (ref) => sql`date_trunc('milliseconds', ${ref})`,
  isShownAsText: false,
  range: (value) => [momentText(value), lastText(value)],
  compare(ref, operator, value) {
    const iso = value.map(String)
    switch (iso.decide(momentKind)) {
      case 'infinite':
        return plainCompare(ref, operator, iso)
      case 'unusual year':
        return spanCompare(ref, operator, iso.map(momentText), iso.map(lastText))
      case 'usual':
        return rangeCompare(ref, operator, iso, iso.map(nextMillisecond))
    }
  },
}

/** A time of a request stands for a second. */
export const timeSpan: MomentSpan = {
  digits: 0,
  shown: (ref) => sql`left(${ref}::text, 8)`,
  isShownAsText: true,
  range: (value) => [value, value.startsWith('24') ? value : `${value}.999999`],
  compare(ref, operator, value) {
    const time = value.map(String)
    // There is no second after 24:00:00.
    if (time.decide((text) => text.startsWith('24'))) return plainCompare(ref, operator, time)
    return rangeCompare(ref, operator, time, time.map(nextSecond))
  },
}
