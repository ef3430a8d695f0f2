// Aggregate functions of the databases whose sums of integers and decimals are exact: PostgreSQL, MySQL and MariaDB.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'
import type { Aggregate } from '../../dialect.ts'
import type { Ref } from '../sql/sql-parts.ts'
import { aggregateDecoderOf } from './aggregate-decode.ts'

/** The SQL that differs between these databases. */
export interface AggregateSql {
  /** Returns the expression of which MIN and MAX are computed. */
  extremeOf(column: DialectColumn, ref: Ref): Ref
  /** Converts the result of MIN or MAX to the expression to select. */
  selectExtreme(column: DialectColumn, extreme: Ref): Ref
  /** Selects the sum as text, with all digits. */
  sumAsText(sum: Ref): Fragment
  /** `sum/count`, from which the decoder computes the exact average. */
  sumAndCountAsText(sum: Ref, count: Ref): Fragment
  /** Selects a sum or average of floats; an error if no float can hold it. */
  selectFloat(float: Ref): Ref
  /** Rounds to twelve significant digits, because the further digits of a sum of floats depend on the order of its terms. */
  rounded(float: Ref): Fragment
  /** The average of integers, as a float. */
  integerAverage(sum: Ref, count: Ref): Fragment
  /** The average of decimals or bigints, with this number of fractional digits. */
  decimalAverage(sum: Ref, count: Ref, digits: number): Fragment
}

const calls: Readonly<Record<AggregateFunction, (ref: Ref) => Fragment>> = {
  count: (ref) => sql`count(${ref})`,
  sum: (ref) => sql`sum(${ref})`,
  avg: (ref) => sql`avg(${ref})`,
  min: (ref) => sql`min(${ref})`,
  max: (ref) => sql`max(${ref})`,
}

/** Creates the member `aggregate` of a dialect. */
export const exactAggregates =
  (database: AggregateSql) =>
  (fn: AggregateFunction, column: DialectColumn): Aggregate => {
    const { scale = 6 } = column
    const { number, json } = columnTypes[column.type]
    const isRounded = number === 'approximate'
    const extreme = (ref: Ref): Ref => calls[fn](database.extremeOf(column, ref))
    const isExtreme = fn === 'min' || fn === 'max'
    return {
      select(ref) {
        if (isExtreme) return database.selectExtreme(column, extreme(ref))
        if (fn === 'count') return calls.count(ref)
        if (isRounded) return database.selectFloat(calls[fn](ref))
        return fn === 'sum'
          ? database.sumAsText(calls.sum(ref))
          : database.sumAndCountAsText(calls.sum(ref), calls.count(ref))
      },
      decode: aggregateDecoderOf(fn, column),
      comparable(ref) {
        if (isExtreme) return extreme(ref)
        if (isRounded && fn !== 'count') return database.rounded(calls[fn](ref))
        if (fn !== 'avg') return calls[fn](ref)
        const [sum, count] = [calls.sum(ref), calls.count(ref)]
        if (json === 'number') return database.integerAverage(sum, count)
        // An average has four digits more than its column.
        return database.decimalAverage(sum, count, number === 'whole' ? 4 : scale + 4)
      },
    }
  }
