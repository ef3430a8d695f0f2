// PostgreSQL: text under the "C" collation, types that drivers may parse inexactly selected as text, buckets independent of the session's time zone.

import type { SqlBool } from 'kysely'
import { bytesOfBase64 } from '../../json/base64.ts'
import type { AggregateFunction } from '../../parse/operators.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import type { DialectColumn, PlanValue } from '../dialect.ts'
import type { InternalDialect, KeyPair } from '../internal-dialect.ts'
import { aggregateDecoderOf } from '../shared/aggregate-decode.ts'
import { nextMillisecond, nextSecond } from '../shared/calendar-text.ts'
import { decoderOf } from '../shared/decode.ts'
import { writerOf } from '../shared/json-writer.ts'
import { caseRegExp, likePattern } from '../shared/patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  eachOf,
  inDistinctKeys,
  isText,
  jsonText,
  type KeySides,
  natural,
  plainCompare,
  type Ref,
  rangeCompare,
  type Test,
} from '../shared/sql-parts.ts'
import { type Facts, lookUpFacts, settingsAdvice, unknownFacts } from './column-facts.ts'
import { classifyPostgres } from './errors.ts'
import { postgresInterruption } from './interruption.ts'
import { postgresJson } from './json.ts'
import { listenerAdvice } from './pool-advice.ts'
import { postgresReplication } from './replication.ts'
import { postgresSingleWrites } from './writes.ts'

/** PostgreSQL; `connect` reads how the columns are declared and collated. */
export const postgres: InternalDialect = {
  ...dialectWith(unknownFacts),
  async connect(db, tables = []) {
    const connected = dialectWith(await lookUpFacts(db, tables))
    return { ...connected, server: { ...connected.server, advice: await settingsAdvice(db) } }
  },
}

function dialectWith(facts: Facts): InternalDialect {
  /** What a column is ordered by: text by code point; a native uuid orders as its text does. */
  const ordered = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable || column.collation === 'database' || !isText(column)) return ref
    return column.type === 'uuid' || facts.collates(column) === 'codePoint' ? ref : byCodePoint(ref)
  }

  const isLoose = (column: DialectColumn): boolean =>
    facts.collates(column) === 'loose' && column.collation !== 'database'

  const asComparable = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable) return ref
    switch (column.type) {
      case 'datetime':
        return sql`date_trunc('milliseconds', ${ref})`
      case 'time':
        return sql`left(${ref}::text, 8)`
      case 'uuid':
        return byCodePoint(ref)
      case 'json':
        return sql`${ref}::text`
      default:
        return ordered(column, ref)
    }
  }

  const extreme = (fn: 'min' | 'max', column: DialectColumn, ref: Ref): Fragment => {
    // A stored datetime orders as it is, and an index on it can serve.
    const asStored = column.type === 'datetime' || column.type === 'time'
    const of = asStored ? ref : asComparable(column, ref)
    return fn === 'min' ? sql`min(${of})` : sql`max(${of})`
  }

  /**
   * Whole and decimal numbers carry their type, so that a value outside a narrower column is no error and a fraction
   * stays exact; all else takes the type of the column beside it, which may be uuid, an enum, date or text.
   */
  const typed = (
    column: DialectColumn,
    values: readonly PlanValue[],
    bound: unknown,
    many: Fragment,
  ): Fragment => {
    switch (column.type) {
      case 'integer':
      case 'bigint':
        // Comparing with the column's own type costs less than with a wider one.
        return facts.declared(column)?.name === 'int4' && values.every(isInt4)
          ? sql`${bound}::int4${many}`
          : sql`${bound}::bigint${many}`
      case 'decimal':
        return sql`${bound}::numeric${many}`
      case 'float':
        // Beside a sum of whole numbers, a fraction would not take the type of its neighbour.
        return column.comparable ? sql`${bound}::numeric${many}` : sql`${bound}`
      default:
        return sql`${bound}`
    }
  }

  const compare = (
    column: DialectColumn,
    ref: Ref,
    operator: Comparison,
    value: PlanValue,
  ): Test => {
    if (column.type === 'datetime') {
      const iso = String(value)
      return rangeCompare(ref, operator, iso, nextMillisecond(iso))
    }
    if (column.type === 'time') {
      const time = String(value)
      return rangeCompare(ref, operator, time, nextSecond(time))
    }
    const bound = typed(column, [value], bind(column, value), sql``)
    if (isLoose(column)) {
      const exact = plainCompare(byCodePoint(ref), operator, bound)
      // The column's own equality uses its index and matches every equal text, maybe more; the second test decides.
      return operator === 'eq' ? sql<SqlBool>`(${ref} = ${bound} and ${exact})` : exact
    }
    // Every deterministic collation compares equality by bytes, and the plain operator can use any index.
    const equality = operator === 'eq' || operator === 'ne'
    return plainCompare(equality ? ref : ordered(column, ref), operator, bound)
  }

  const keySides = ({ column, ref, otherColumn, otherRef }: KeyPair): KeySides => {
    if (isLoose(column) || isLoose(otherColumn)) {
      return { own: byCodePoint(ref), other: byCodePoint(otherRef) }
    }
    return comparesAsText(column, otherColumn)
      ? { own: sql`${ref}::text`, other: sql`${otherRef}::text` }
      : { own: ref, other: otherRef }
  }

  const selectedAggregate = (fn: AggregateFunction, column: DialectColumn, ref: Ref): Ref => {
    if (fn === 'count') return sql`count(${ref})`
    if (fn === 'min' || fn === 'max') return select(column, extreme(fn, column, ref))
    if (column.type === 'float') return fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`
    if (fn === 'sum') return sql`sum(${ref})::text`
    return sql`sum(${ref})::text || '/' || count(${ref})::text`
  }

  const comparableAggregate = (fn: AggregateFunction, column: DialectColumn, ref: Ref): Ref => {
    if (fn === 'count') return sql`count(${ref})`
    if (fn === 'min' || fn === 'max') return extreme(fn, column, ref)
    if (column.type === 'float') {
      return rounded(fn === 'sum' ? sql`sum(${ref})` : sql`avg(${ref})`)
    }
    if (fn === 'sum') return sql`sum(${ref})`
    if (column.type === 'integer') return sql`(sum(${ref})::float8 / count(${ref}))`
    // A divisor with 60 fractional digits makes PostgreSQL compute the quotient with 60, which is then rounded once.
    const digits = column.type === 'bigint' ? 4 : (column.scale ?? 6) + 4
    return sql`round(sum(${ref}) / count(${ref})::numeric(100, 60), ${natural(digits)})`
  }

  return {
    name: 'postgres',
    capabilities: {
      locksRows: true,
      blocksEventLoop: false,
      createsTablesInTransactions: true,
    },
    storeTypes: {
      datetime: 'timestamptz(3)',
      digest: 'varchar(64) collate "C"',
      text: 'varchar(255) collate "C"',
      boolean: 'boolean',
    },
    server: {
      interruption: postgresInterruption,
      isReadOnly: sql`current_setting('transaction_read_only') = 'on'`,
      replication: postgresReplication,
      clock: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
      poolAdvice: listenerAdvice,
    },
    shortcuts: {
      textStyle: { quote: '"', placeholders: 'numbered' },
      // Another round trip and plan cost more than the subquery.
      countsInStatement: true,
      countsGroupsByWindow: true,
      computesSkippedRows: true,
      plansForLimit: true,
      jsonText: postgresJson(facts),
      writer: writerOf,
      // PostgreSQL plans EXISTS and IN as the same semi-join.
      keysIn: (lookUp, keys, rows) =>
        lookUp === 'once' ? inDistinctKeys(keys.map(keySides), rows) : undefined,
      lookUpSingleWrites: postgresSingleWrites,
    },

    select,
    decoder: decoderOf,
    encode,
    compare,

    oneOf(column, ref, values, negated) {
      if (column.type === 'datetime' || column.type === 'time') {
        const operator = negated ? 'ne' : 'eq'
        return eachOf(values, negated, (value) => compare(column, ref, operator, value))
      }
      // One array is one bound value, so that the statement is the same for lists of any length.
      const items = values.map((value) => bind(column, value))
      const list = typed(column, values, items, sql`[]`)
      if (negated) {
        return sql<SqlBool>`${isLoose(column) ? byCodePoint(ref) : ref} <> all(${list})`
      }
      const own = sql<SqlBool>`${ref} = any(${list})`
      return isLoose(column) ? sql<SqlBool>`(${own} and ${byCodePoint(ref)} = any(${list}))` : own
    },

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      // Under the column's own collation an index for patterns can serve; the answer is the same.
      const subject = isLoose(column) ? byCodePoint(ref) : sql`${ref}::text`
      if (ignoreCase && column.collation !== 'database') {
        return sql<SqlBool>`${subject} ${negated ? sql`!~` : sql`~`} ${caseRegExp(match, text, '$')}`
      }
      const like = ignoreCase ? sql`ilike` : sql`like`
      const not = negated ? sql`not ` : sql``
      return sql<SqlBool>`${subject} ${not}${like} ${likePattern(match, text)} escape '!'`
    },

    order(column, ref, { descending, nulls, mayBeNull }) {
      const by = ordered(column, ref)
      const direction = descending ? sql`desc` : sql`asc`
      // PostgreSQL sorts NULL as the largest value.
      const own = descending ? 'first' : 'last'
      if (!mayBeNull || nulls === own) return [sql`${by} ${direction}`]
      return [sql`${by} ${direction} ${nulls === 'first' ? sql`nulls first` : sql`nulls last`}`]
    },

    orderKey: {
      compare: (column, ref, operator, key) =>
        specialValues[column.type]?.has(String(key))
          ? plainCompare(ordered(column, ref), operator, key)
          : undefined,
    },

    sameKey(column, ref, otherColumn, otherRef) {
      if (comparesAsText(column, otherColumn)) {
        return sql<SqlBool>`${ref}::text = ${otherRef}::text`
      }
      const own = sql<SqlBool>`${ref} = ${otherRef}`
      if (!isLoose(column) && !isLoose(otherColumn)) return own
      return sql<SqlBool>`(${own} and ${byCodePoint(ref)} = ${byCodePoint(otherRef)})`
    },

    comparable: asComparable,

    aggregate: (fn, column) => ({
      select: (ref) => selectedAggregate(fn, column, ref),
      decode: aggregateDecoderOf(fn, column),
      comparable: (ref) => comparableAggregate(fn, column, ref),
    }),

    bucket(unit, _column, ref) {
      // The epoch of a timestamp without zone is that of its digits in UTC, so one expression serves both kinds.
      const utc = sql`(to_timestamp(floor(extract(epoch from ${ref}))) at time zone 'UTC')`
      const finite = (part: Ref): Fragment => sql`case when isfinite(${ref}) then ${part} end`
      if (unit === 'year') return finite(sql`extract(year from ${utc})::int`)
      const form = unit === 'month' ? sql`'YYYY-MM'` : sql`'YYYY-MM-DD'`
      return sql`(${finite(sql`to_char(${utc}, ${form})`)}) collate "C"`
    },

    classify: classifyPostgres,
  }
}

function select(column: DialectColumn, ref: Ref): Ref {
  switch (column.type) {
    case 'integer':
    case 'float':
    case 'boolean':
    case 'binary':
      return ref
    default:
      return sql`${ref}::text`
  }
}

function byCodePoint(ref: Ref): Fragment {
  return sql`${ref}::text collate "C"`
}

/** Only text can be kept in different types that do not compare. */
const comparesAsText = (column: DialectColumn, other: DialectColumn): boolean =>
  column.type !== other.type && (isText(column) || isText(other))

const isInt4 = (value: PlanValue): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && value >= -(2 ** 31) && value < 2 ** 31

/** As text where JavaScript's or the driver's numbers could lose digits. */
function bind(column: DialectColumn, value: PlanValue): unknown {
  return column.type === 'bigint' || column.type === 'decimal' ? String(value) : value
}

/** The sum of floats depends on the order of its terms beyond twelve digits. */
function rounded(value: Ref): Fragment {
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
      // postgres.js would write the text as a JSON string if the server asked for a parameter of type json.
      return sql`${jsonText(value)}::text::json`
    case 'binary':
      return bytesOfBase64(String(value))
    default:
      return value
  }
}

const endless = new Set(['infinity', '-infinity'])
const notFinite = new Set(['NaN', 'Infinity', '-Infinity'])

/** Values without a JSON form of their type, as PostgreSQL prints them. */
const specialValues: Readonly<Partial<Record<DialectColumn['type'], ReadonlySet<string>>>> = {
  date: endless,
  datetime: endless,
  float: notFinite,
  decimal: notFinite,
}
