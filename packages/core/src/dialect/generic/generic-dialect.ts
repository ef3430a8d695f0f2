// genericDialect: any other database that Kysely supports: portable SQL, with the database's own order and case rules, and without the
// guarantee of the same response bytes.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import { sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { AggregateFunction, Comparison } from '../../model/query-words/operators.ts'
import type { Dialect, PlanValue } from '../dialect.ts'
import { likePattern } from '../shared/sql/patterns.ts'
import {
  byText,
  inList,
  paddedItems,
  plainCompare,
  type Ref,
  rangeCompare,
  type SqlTest,
} from '../shared/sql/sql-parts.ts'
import { aggregateDecoderOf } from '../shared/values/aggregate-decode.ts'
import { decoderOf, textOf } from '../shared/values/decode.ts'
import { classifyAny } from './generic-errors.ts'
import { genericTypes } from './generic-types.ts'

/** The dialect for `createApi({ dialect: 'generic' })`. */
export const genericDialect: Dialect = {
  name: 'generic',
  capabilities: {
    locksRows: false,
    blocksEventLoop: false,
    createsTablesInTransactions: false,
  },

  select: (_column, ref) => ref,
  decoder: decoderOf,

  encode(column, value) {
    if (value === null || value === undefined) return null
    return genericTypes[column.type].encode(value)
  },

  compare,

  oneOf(column, ref, values, negated) {
    const { next } = genericTypes[column.type]
    if (next !== false) {
      const ranges = values.share((all) =>
        all
          .map(String)
          .sort(byText)
          .map((text): Range => [text, next(text)]),
      )
      return withinRanges(ref, paddedItems(ranges), negated)
    }
    const items = paddedItems(values).map((value) => value.map(bind))
    return inList(ref, items, negated)
  },

  textMatch(_column, ref, { match, text, ignoreCase, negated }) {
    const like = negated ? sql`not like` : sql`like`
    const pattern = text.map((searched) => likePattern(match, searched))
    return ignoreCase
      ? sql<SqlBool>`lower(${ref}) ${like} lower(${pattern}) escape '!'`
      : sql<SqlBool>`${ref} ${like} ${pattern} escape '!'`
  },

  order(_column, ref, { descending, nulls, mayBeNull }) {
    const by = sql`${ref} ${descending ? sql`desc` : sql`asc`}`
    if (!mayBeNull) return [by]
    // NULLs get the smaller number if they come first.
    const rank = nulls === 'first' ? sql`0 else 1` : sql`1 else 0`
    return [sql`case when ${ref} is null then ${rank} end`, by]
  },

  sameKey: (_column, ref, _otherColumn, otherRef) => sql<SqlBool>`${ref} = ${otherRef}`,

  comparable: (_column, ref) => ref,

  aggregate(fn, column) {
    const select = (ref: Ref): Ref => aggregateOf(fn, ref)
    const decode = aggregateDecoderOf(fn, column, (raw) => ({ sum: textOf(raw), count: '1' }))
    return { select, decode, comparable: select }
  },

  bucket(unit, _column, ref) {
    const year = sql`extract(year from ${ref})`
    if (unit === 'year') return year
    const month = sql`${year} || '-' || ${twoDigits(sql`extract(month from ${ref})`)}`
    return unit === 'month'
      ? month
      : sql`${month} || '-' || ${twoDigits(sql`extract(day from ${ref})`)}`
  },

  classify: classifyAny,
}

function compare(
  column: DialectColumn,
  ref: Ref,
  operator: Comparison,
  value: Param<PlanValue>,
): SqlTest {
  const text = value.map(String)
  const { next } = genericTypes[column.type]
  if (next !== false) return rangeCompare(ref, operator, text, text.map(next))
  return plainCompare(ref, operator, value.map(bind))
}

/**
 * Tests whether a value is within one of several ranges, in ascending order: a tree of CASE that is as deep as the logarithm of their
 * number. Planners do not look into CASE, but try every OR and AND of comparisons for an index, in more than linear time. For `in`, two
 * comparisons of the plain column let an index skip what is before the first range and after the last one.
 */
function withinRanges(ref: Ref, ranges: readonly Param<Range>[], negated: boolean): SqlTest {
  const first = ranges[0]?.map(startOf)
  const last = ranges[ranges.length - 1]?.map(endOf)
  const found = sql`case when ${ref} is null then null when ${ref} < ${first} then 0 else ${stepsOf(ref, ranges)} end`
  return negated
    ? sql<SqlBool>`${found} = 0`
    : sql<SqlBool>`(${ref} >= ${first} and ${ref} < ${last} and ${found} = 1)`
}

type Range = readonly [from: string, next: string]

const startOf = ([from]: Range): string => from
const endOf = ([, next]: Range): string => next

/** 1 if the value, which is not before the first range, is within one of the ranges, otherwise 0. */
function stepsOf(ref: Ref, ranges: readonly Param<Range>[]): Ref {
  if (ranges.length === 1) {
    return sql`case when ${ref} < ${ranges[0]?.map(endOf)} then 1 else 0 end`
  }
  // Whole, because `paddedItems` makes the number of ranges a power of two.
  const middle = ranges.length / 2
  const high = ranges[middle]?.map(startOf)
  return sql`case when ${ref} < ${high} then ${stepsOf(ref, ranges.slice(0, middle))} else ${stepsOf(ref, ranges.slice(middle))} end`
}

function aggregateOf(fn: AggregateFunction, ref: Ref): Ref {
  switch (fn) {
    case 'count':
      return sql`count(${ref})`
    case 'sum':
      return sql`sum(${ref})`
    case 'avg':
      return sql`avg(${ref})`
    case 'min':
      return sql`min(${ref})`
    case 'max':
      return sql`max(${ref})`
  }
}

function bind(value: PlanValue): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function twoDigits(part: Ref): Ref {
  return sql`case when ${part} < 10 then '0' else '' end || ${part}`
}
