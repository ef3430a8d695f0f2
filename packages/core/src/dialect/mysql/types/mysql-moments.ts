// Datetimes and times of requests as the ranges of stored values that they stand for, and zero dates such as `0000-00-00`, in MySQL and
// MariaDB. Also which columns have such values (isMoment, isTime, isSpan).

import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { PlanValue } from '../../dialect.ts'
import { byText } from '../../shared/sql/sql-parts.ts'
import { blankForm } from '../../shared/values/calendar-text.ts'
import { mysqlTypes } from './mysql-types.ts'
import { secondAround, timesInOrder } from './times.ts'

/** The text of a datetime or time, as `shownMoment` selects it. */
export const shownText = (value: PlanValue): string => blankForm(String(value))

/**
 * The last stored value that a datetime stands for: MySQL stores at most microseconds, so the last value of a millisecond ends in 999. A
 * value from a cursor has six digits already.
 */
export const lastOfMoment = (text: string): string => (text.length > 23 ? text : `${text}999`)

/** A range of stored values, both ends included. */
type Span = readonly [first: string, last: string]

/** The stored values that datetimes stand for, in order. */
export const spansOf = (moments: readonly PlanValue[]): readonly Span[] =>
  moments
    .map(shownText)
    .sort(byText)
    .map((text) => [text, `${text}999`])

/** Ranges of the stored values that times stand for, and perhaps of others, in order. */
export const secondsAround = (times: readonly PlanValue[]): readonly Span[] =>
  timesInOrder(times.map(String)).map(secondAround)

/** Whether the type may have zero dates: a date or a datetime. */
export const isMoment = ({ type }: DialectColumn): boolean =>
  mysqlTypes[type].calendar === 'date' || mysqlTypes[type].calendar === 'datetime'

/** Whether the column has times. */
export const isTime = ({ type }: DialectColumn): boolean => mysqlTypes[type].calendar === 'time'

/** Whether values of requests stand for ranges of stored ones. */
export const isSpan = ({ type }: DialectColumn): boolean =>
  mysqlTypes[type].calendar === 'datetime' || mysqlTypes[type].calendar === 'time'

/** Whether the year, the month or the day is zero. */
export const isZeroDate = (value: unknown): boolean => /^(?:0000|.{5}00|.{8}00)/.test(String(value))

/** Whether one of the values is a zero date, with which MySQL compares no date. */
export const haveZeroDate = (values: readonly PlanValue[]): boolean => values.some(isZeroDate)
