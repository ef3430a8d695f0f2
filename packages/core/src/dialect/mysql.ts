// MySQL and MariaDB: text under a binary collation beside the column's own, typed bound values, case folding by regular expression.

import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { bytesOfBase64 } from '../json/base64.ts'
import { aggregateDecoderOf } from './aggregate-decode.ts'
import { blankForm, nextSecond } from './calendar-text.ts'
import { classifyMysql } from './classify.ts'
import { decoderOf } from './decode.ts'
import type { Dialect, DialectColumn, PlanValue } from './dialect.ts'
import { caseRegExp, likePattern } from './patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  eachOf,
  inList,
  isText,
  jsonText,
  natural,
  padded,
  plainCompare,
  type Ref,
  rangeCompare,
  symbols,
  type Test,
} from './sql-parts.ts'

/** What `connect` finds out. */
interface Facts {
  /** A collation that compares by code point and does not pad; each server has its own name for it. */
  readonly collation: RawBuilder<unknown>
}

const mariadb: Facts = { collation: sql`utf8mb4_nopad_bin` }
const mysql8: Facts = { collation: sql`utf8mb4_0900_bin` }

/** MySQL and MariaDB; which of them, `connect` asks. */
export const mysql: Dialect = {
  ...dialectWith(mysql8),
  async connect(db) {
    return dialectWith((await isMariadb(db)) ? mariadb : mysql8)
  },
}

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
async function isMariadb(db: Kysely<any>): Promise<boolean> {
  const { rows } = await sql<{ version: unknown }>`select version() as version`.execute(db)
  return /mariadb/i.test(String(rows[0]?.version))
}

function dialectWith(facts: Facts): Dialect {
  /** Text as it is ordered and compared: by code point. */
  const binary = (ref: Ref): RawBuilder<unknown> =>
    sql`convert(${ref} using utf8mb4) collate ${facts.collation}`

  const byCodePoint = (column: DialectColumn): boolean =>
    isText(column) && column.collation !== 'database' && !column.comparable

  const ordered = (column: DialectColumn, ref: Ref): Ref =>
    byCodePoint(column) ? binary(ref) : ref

  const asComparable = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable) return ref
    if (column.type === 'datetime')
      return sql`left(date_format(${ref}, '%Y-%m-%d %H:%i:%s.%f'), 23)`
    if (column.type === 'time') return sql`substring_index(cast(${ref} as char), '.', 1)`
    return ordered(column, ref)
  }

  const extreme = (fn: 'min' | 'max', column: DialectColumn, ref: Ref): RawBuilder<unknown> => {
    // A stored datetime orders as it is, and an index on it can serve.
    const of =
      column.type === 'datetime' || column.type === 'time' ? ref : asComparable(column, ref)
    return fn === 'min' ? sql`min(${of})` : sql`max(${of})`
  }

  const compare = (
    column: DialectColumn,
    ref: Ref,
    operator: Comparison,
    value: PlanValue,
  ): Test => {
    if (column.type === 'datetime') return compareDatetime(ref, operator, String(value))
    if (column.type === 'time') {
      return rangeCompare(ref, operator, String(value), nextSecond(String(value)))
    }
    const bound = bind(column, value)
    if (byCodePoint(column) && operator === 'eq') {
      // The column's own collation finds every equal text and maybe more; its index serves, the second test decides.
      return sql<SqlBool>`(${ref} = ${bound} and ${binary(ref)} = ${bound})`
    }
    return plainCompare(ordered(column, ref), operator, bound)
  }

  return {
    name: 'mysql',

    select,

    decoder: decoderOf,
    encode,
    compare,

    oneOf(column, ref, values, negated) {
      if (column.type === 'datetime' || column.type === 'time') {
        const operator = negated ? 'ne' : 'eq'
        return eachOf(values, negated, (value) => compare(column, ref, operator, value))
      }
      const items = padded(values).map((value) => bind(column, value))
      if (!byCodePoint(column)) return inList(ref, items, negated)
      if (negated) return inList(binary(ref), items, true)
      return sql<SqlBool>`(${inList(ref, items, false)} and ${inList(binary(ref), items, false)})`
    },

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      const like = negated ? sql`not like` : sql`like`
      const pattern = likePattern(match, text)
      if (column.collation === 'database') {
        return sql<SqlBool>`${ref} ${like} ${pattern} escape '!'`
      }
      if (ignoreCase) {
        const regexp = negated ? sql`not regexp` : sql`regexp`
        return sql<SqlBool>`${binary(ref)} ${regexp} ${caseRegExp(match, text, '\\z')}`
      }
      const exact = sql<SqlBool>`${binary(ref)} ${like} ${pattern} escape '!'`
      if (match !== 'startsWith' || negated) return exact
      return sql<SqlBool>`(${ref} like ${pattern} escape '!' and ${exact})`
    },

    order(column, ref, { descending, nulls, mayBeNull }) {
      const by = sql`${ordered(column, ref)} ${descending ? sql`desc` : sql`asc`}`
      // NULL is the smallest value here.
      const own = descending ? 'last' : 'first'
      if (!mayBeNull || nulls === own) return [by]
      return [sql`${ref} is null ${nulls === 'first' ? sql`desc` : sql`asc`}`, by]
    },

    comparable: asComparable,

    aggregate(fn, column, ref) {
      if (fn === 'count') return sql`count(${ref})`
      if (fn === 'min' || fn === 'max') {
        return select({ ...column, comparable: true }, extreme(fn, column, ref))
      }
      if (column.type === 'float') return fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`
      if (fn === 'sum') return sql`cast(sum(${ref}) as char)`
      return sql`concat(cast(sum(${ref}) as char), '/', count(${ref}))`
    },

    aggregateDecoder: (fn, column) => aggregateDecoderOf(fn, column),

    aggregateComparable(fn, column, ref) {
      if (fn === 'count') return sql`count(${ref})`
      if (fn === 'min' || fn === 'max') return extreme(fn, column, ref)
      if (column.type === 'float') {
        return rounded(fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`)
      }
      if (fn === 'sum') return sql`sum(${ref})`
      if (column.type === 'integer') return sql`(sum(${ref}) * 1e0 / count(${ref}))`
      const digits = column.type === 'bigint' ? 4 : (column.scale ?? 6) + 4
      return sql`round(cast(sum(${ref}) as decimal(65, 30)) / count(${ref}), ${digits})`
    },

    bucket(unit, _column, ref) {
      if (unit === 'year') return sql`year(${ref})`
      return unit === 'month'
        ? sql`date_format(${ref}, '%Y-%m')`
        : sql`date_format(${ref}, '%Y-%m-%d')`
    },

    classify: classifyMysql,
  }
}

function select(column: DialectColumn, ref: Ref): Ref {
  switch (column.type) {
    case 'integer':
    case 'float':
    case 'boolean':
    case 'string':
    case 'text':
    case 'enum':
    case 'uuid':
    case 'binary':
      return ref
    default:
      return sql`cast(${ref} as char)`
  }
}

/** Microseconds are the finest grain here, so a millisecond ends with its 999th. */
function compareDatetime(ref: Ref, operator: Comparison, iso: string): Test {
  const first = blankForm(iso)
  const last = `${first}999`
  if (operator === 'eq') return sql<SqlBool>`(${ref} >= ${first} and ${ref} <= ${last})`
  if (operator === 'ne') return sql<SqlBool>`(${ref} < ${first} or ${ref} > ${last})`
  const bound = operator === 'lt' || operator === 'ge' ? first : last
  return sql<SqlBool>`${ref} ${symbols[operator]} ${bound}`
}

/** A text beside a number would have both compared as doubles. */
function bind(column: DialectColumn, value: PlanValue): unknown {
  switch (column.type) {
    case 'boolean':
      return value ? 1 : 0
    case 'bigint':
      return sql`cast(${String(value)} as signed)`
    case 'decimal':
      return sql`cast(${String(value)} as decimal(65, ${natural(column.scale ?? 30)}))`
    default:
      return value
  }
}

/** The sum of floats depends on the order of its terms beyond twelve digits. */
function rounded(value: Ref): RawBuilder<unknown> {
  return sql`case when ${value} = 0 then 0e0 else round(${value}, 11 - floor(log10(abs(${value})))) end`
}

function encode(column: DialectColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null
  switch (column.type) {
    case 'boolean':
      return value ? 1 : 0
    case 'bigint':
    case 'decimal':
      return String(value)
    case 'datetime':
      return blankForm(canonicalInstant(value))
    case 'json':
      return jsonText(value)
    case 'binary':
      return bytesOfBase64(String(value))
    default:
      return value
  }
}
