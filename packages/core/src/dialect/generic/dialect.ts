// Any other database that Kysely supports: portable SQL, with the database's own order and case rules, and without the
// guarantee of the same response bytes.

import type { SqlBool } from 'kysely'
import type { AggregateFunction } from '../../parse/operators.ts'
import { sql } from '../../sql/fragment.ts'
import type { Dialect, DialectColumn, PlanValue } from '../dialect.ts'
import { aggregateDecoderOf } from '../shared/aggregate-decode.ts'
import { nextMillisecond, nextSecond } from '../shared/calendar-text.ts'
import { decoderOf, textOf } from '../shared/decode.ts'
import { likePattern } from '../shared/patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  eachOf,
  encodeCommon,
  inList,
  padded,
  plainCompare,
  type Ref,
  rangeCompare,
  type Test,
} from '../shared/sql-parts.ts'
import { classifyAny } from './errors.ts'

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
    if (column.type === 'datetime') return canonicalInstant(value)
    return typeof value === 'bigint' ? String(value) : encodeCommon(column, value)
  },

  compare,

  oneOf(column, ref, values, negated) {
    if (column.type === 'datetime' || column.type === 'time') {
      const operator = negated ? 'ne' : 'eq'
      return eachOf(values, negated, (value) => compare(column, ref, operator, value))
    }
    return inList(ref, padded(values).map(bind), negated)
  },

  textMatch(_column, ref, { match, text, ignoreCase, negated }) {
    const like = negated ? sql`not like` : sql`like`
    const pattern = likePattern(match, text)
    return ignoreCase
      ? sql<SqlBool>`lower(${ref}) ${like} lower(${pattern}) escape '!'`
      : sql<SqlBool>`${ref} ${like} ${pattern} escape '!'`
  },

  order(_column, ref, { descending, nulls, mayBeNull }) {
    const by = sql`${ref} ${descending ? sql`desc` : sql`asc`}`
    if (!mayBeNull) return [by]
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

function compare(column: DialectColumn, ref: Ref, operator: Comparison, value: PlanValue): Test {
  const text = String(value)
  if (column.type === 'datetime') return rangeCompare(ref, operator, text, nextMillisecond(text))
  if (column.type === 'time') return rangeCompare(ref, operator, text, nextSecond(text))
  return plainCompare(ref, operator, bind(value))
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
