// PostgreSQL: text under the "C" collation, everything a driver could damage as text, buckets independent of the session's zone.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { bytesOfBase64 } from '../json/base64.ts'
import { aggregateDecoderOf } from './aggregate-decode.ts'
import { nextMillisecond, nextSecond } from './calendar-text.ts'
import { classifyPostgres } from './classify.ts'
import { decoderOf } from './decode.ts'
import type { Dialect, DialectColumn, PlanValue } from './dialect.ts'
import { caseRegExp, likePattern } from './patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  eachOf,
  jsonText,
  plainCompare,
  type Ref,
  rangeCompare,
  type Test,
} from './sql-parts.ts'

export const postgres: Dialect = {
  name: 'postgres',

  select(column, ref) {
    switch (column.type) {
      case 'integer':
      case 'float':
      case 'boolean':
      case 'string':
      case 'text':
      case 'binary':
        return ref
      default:
        return sql`${ref}::text`
    }
  },

  decoder: decoderOf,
  encode,
  compare,

  oneOf(column, ref, values, negated) {
    if (column.type === 'datetime' || column.type === 'time') {
      const operator = negated ? 'ne' : 'eq'
      return eachOf(values, negated, (value) => compare(column, ref, operator, value))
    }
    // One array is one bound value, so that the statement is the same for lists of any length.
    const list = typed(
      column,
      values.map((value) => bind(column, value)),
      sql`[]`,
    )
    return negated ? sql<SqlBool>`${ref} <> all(${list})` : sql<SqlBool>`${ref} = any(${list})`
  },

  textMatch(column, ref, { match, text, ignoreCase, negated }) {
    if (!ignoreCase) {
      const like = negated ? sql`not like` : sql`like`
      return sql<SqlBool>`${ref}::text ${like} ${likePattern(match, text)} escape '!'`
    }
    if (column.collation === 'database') {
      const like = negated ? sql`not ilike` : sql`ilike`
      return sql<SqlBool>`${ref}::text ${like} ${likePattern(match, text)} escape '!'`
    }
    return sql<SqlBool>`${ref}::text ${negated ? sql`!~` : sql`~`} ${caseRegExp(match, text, '$')}`
  },

  order(column, ref, { descending, nulls, mayBeNull }) {
    const by = ordered(column, ref)
    const direction = descending ? sql`desc` : sql`asc`
    // NULL is the largest value here.
    const own = descending ? 'first' : 'last'
    if (!mayBeNull || nulls === own) return [sql`${by} ${direction}`]
    return [sql`${by} ${direction} ${nulls === 'first' ? sql`nulls first` : sql`nulls last`}`]
  },

  comparable: asComparable,

  aggregate(fn, column, ref) {
    if (fn === 'count') return sql`count(${ref})`
    if (fn === 'min' || fn === 'max') {
      return postgres.select({ ...column, comparable: true }, extreme(fn, column, ref))
    }
    if (column.type === 'float') return fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`
    if (fn === 'sum') return sql`sum(${ref})::text`
    return sql`sum(${ref})::text || '/' || count(${ref})::text`
  },

  aggregateDecoder: (fn, column) => aggregateDecoderOf(fn, column),

  aggregateComparable(fn, column, ref) {
    if (fn === 'count') return sql`count(${ref})`
    if (fn === 'min' || fn === 'max') return extreme(fn, column, ref)
    if (column.type === 'float') return rounded(fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`)
    if (fn === 'sum') return sql`sum(${ref})`
    if (column.type === 'integer') return sql`(sum(${ref})::float8 / count(${ref}))`
    // A divisor with sixty digits after the point has the quotient computed with as many, then rounded once.
    const digits = column.type === 'bigint' ? 4 : (column.scale ?? 6) + 4
    return sql`round(sum(${ref}) / count(${ref})::numeric(100, 60), ${digits}::int)`
  },

  bucket(unit, _column, ref) {
    // The epoch of a timestamp without zone is that of its digits in UTC, so one expression serves both kinds.
    const utc = sql`(to_timestamp(floor(extract(epoch from ${ref}))) at time zone 'UTC')`
    const part =
      unit === 'year'
        ? sql`extract(year from ${utc})::int`
        : unit === 'month'
          ? sql`to_char(${utc}, 'YYYY-MM')`
          : sql`to_char(${utc}, 'YYYY-MM-DD')`
    const whole = sql`case when isfinite(${ref}) then ${part} end`
    return unit === 'year' ? whole : sql`(${whole}) collate "C"`
  },

  classify: classifyPostgres,
}

function compare(column: DialectColumn, ref: Ref, operator: Comparison, value: PlanValue): Test {
  if (column.type === 'datetime') {
    const iso = String(value)
    return rangeCompare(ref, operator, iso, nextMillisecond(iso))
  }
  if (column.type === 'time') {
    const time = String(value)
    return rangeCompare(ref, operator, time, nextSecond(time))
  }
  // Equality of text is that of its bytes under every deterministic collation, and plain it can use any index.
  const by = operator === 'eq' || operator === 'ne' ? ref : ordered(column, ref)
  return plainCompare(by, operator, typed(column, bind(column, value), sql``))
}

/** What a column is ordered by: text by code point; a native uuid orders as its text does. */
function ordered(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable || column.collation === 'database') return ref
  const { type } = column
  return type === 'string' || type === 'text' || type === 'enum'
    ? sql`${ref}::text collate "C"`
    : ref
}

function asComparable(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  switch (column.type) {
    case 'datetime':
      return sql`date_trunc('milliseconds', ${ref})`
    case 'time':
      return sql`left(${ref}::text, 8)`
    case 'uuid':
      return sql`${ref}::text collate "C"`
    case 'json':
      return sql`${ref}::text`
    default:
      return ordered(column, ref)
  }
}

function extreme(fn: 'min' | 'max', column: DialectColumn, ref: Ref): RawBuilder<unknown> {
  // A stored datetime orders as it is, and an index on it can serve.
  const of = column.type === 'datetime' || column.type === 'time' ? ref : asComparable(column, ref)
  return fn === 'min' ? sql`min(${of})` : sql`max(${of})`
}

/** As text where JavaScript's or the driver's numbers could lose digits. */
function bind(column: DialectColumn, value: PlanValue): unknown {
  return column.type === 'bigint' || column.type === 'decimal' ? String(value) : value
}

/**
 * Whole and decimal numbers carry their type, so that a value outside a narrower column is no error and a fraction
 * stays exact; all else takes the type of the column beside it, which may be uuid, an enum, date or text.
 */
function typed(
  column: DialectColumn,
  bound: unknown,
  many: RawBuilder<unknown>,
): RawBuilder<unknown> {
  switch (column.type) {
    case 'integer':
    case 'bigint':
      return sql`${bound}::bigint${many}`
    case 'decimal':
      return sql`${bound}::numeric${many}`
    default:
      return sql`${bound}`
  }
}

/** The sum of floats depends on the order of its terms beyond twelve digits. */
function rounded(value: Ref): RawBuilder<unknown> {
  const numeric = sql`${value}::numeric`
  const digits = sql`(11 - floor(log(abs(nullif(${numeric}, 0)))))::int`
  const finite = sql`abs(${value}) < 'Infinity'::float8`
  return sql`case when ${value} = 0 then 0 when ${finite} then round(${numeric}, ${digits})::float8 end`
}

function encode(column: DialectColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null
  switch (column.type) {
    case 'bigint':
    case 'decimal':
      return String(value)
    case 'datetime':
      return canonicalInstant(value)
    case 'json':
      return jsonText(value)
    case 'binary':
      return bytesOfBase64(String(value))
    default:
      return value
  }
}
