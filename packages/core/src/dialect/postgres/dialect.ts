// PostgreSQL: compares text under the "C" collation, selects as text what drivers may parse inexactly, and computes calendar units in UTC.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { SpecialValues } from '../../model/type-rules.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect, KeyList, KeyPair } from '../internal-dialect.ts'
import { writerOf } from '../shared/json/json-writer.ts'
import { arrayLiteral } from '../shared/json/list-text.ts'
import { caseRegExp, lengthOf, likeLiteral, likePattern } from '../shared/sql/patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  cutMoment,
  encodeCommon,
  inDistinctKeys,
  isText,
  jsonText,
  type KeySides,
  natural,
  orderTerms,
  plainCompare,
  type Ref,
  rangeCompare,
  spanCompare,
  type Test,
} from '../shared/sql/sql-parts.ts'
import { byteaDecoder } from '../shared/values/bytea.ts'
import { nextMillisecond, nextSecond } from '../shared/values/calendar-text.ts'
import { specialNumber } from '../shared/values/decimal.ts'
import { decoderOf } from '../shared/values/decode.ts'
import { exactAggregates } from '../shared/values/exact-aggregates.ts'
import { arraysTable, numberedKeysOf } from './arrays-table.ts'

import {
  type DeclaredType,
  type Facts,
  lookUpFacts,
  quotedName,
  settingsAdvice,
  unknownFacts,
} from './column-facts.ts'
import { postgresConstraintColumns } from './constraint-columns.ts'
import { classifyPostgres } from './errors.ts'
import { postgresInterruption } from './interruption.ts'
import { postgresJson } from './json.ts'
import { jsonValue } from './json-path.ts'
import { momentIn, momentNotIn } from './moment-lists.ts'
import { distanceOf, farMoments, farText, infinityOf, lastText, textOf } from './moments.ts'
import { listenerAdvice } from './pool-advice.ts'
import { postgresReplication } from './replication.ts'
import { postgresSearchIndexes } from './search-index.ts'
import { postgresSessionSettings } from './session-settings.ts'
import { postgresSingleWrites } from './writes.ts'

/** PostgreSQL; `connect` reads how the columns are declared and collated. */
export const postgres: InternalDialect = {
  ...dialectWith(unknownFacts),
  async connect(db, tables = []) {
    const connected = dialectWith(await lookUpFacts(db, tables))
    const { advice, foundByIndex } = await postgresSearchIndexes(db, tables)
    const server = { ...connected.server, advice: [...(await settingsAdvice(db)), ...advice] }
    return { ...connected, server, foundByIndex }
  },
}

function dialectWith(facts: Facts): InternalDialect {
  /** Returns the expression to order a column by: text by code point. A native uuid sorts as its text does. */
  const ordered = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable || column.collation === 'database' || !isText(column)) return ref
    return column.type === 'uuid' || facts.collates(column) === 'codePoint' ? ref : byCodePoint(ref)
  }

  /** The column in a comparison by the operators of its type; an index can be used. */
  const compared = (column: DialectColumn, ref: Ref): Ref => {
    const asEnum = column.comparable ? undefined : facts.declared(column)?.asEnum
    return asEnum === undefined ? ref : sql`${ref}${asEnum}`
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

  const select = (column: DialectColumn, ref: Ref): Ref =>
    column.type === 'opaque' ? opaqueText(facts.declared(column), ref) : selectValue(column, ref)

  const extremeOf = (column: DialectColumn, ref: Ref): Ref => {
    // Stored datetimes and times are in order, so MIN and MAX of the plain column can use its index.
    const asStored = column.type === 'datetime' || column.type === 'time'
    return asStored ? ref : asComparable(column, ref)
  }

  /**
   * Casts integers and decimals to a type that holds every value, so that a value outside the range of the column causes no error,
   * and a fraction stays exact. Other values have no cast: PostgreSQL gives them the type of the column, which may be uuid, an
   * enum, date or text. `areInt4`: whether all values fit 32 bits. `many` is `[]` if `bound` is an array.
   */
  const typed = (
    column: DialectColumn,
    areInt4: () => boolean,
    bound: unknown,
    many: Fragment,
  ): Fragment => {
    switch (column.type) {
      case 'integer':
      case 'bigint':
        // Comparing with a value of the column's own type costs less than with a wider one.
        return facts.declared(column)?.name === 'int4' && areInt4()
          ? sql`${bound}::int4${many}`
          : sql`${bound}::bigint${many}`
      case 'decimal':
        return sql`${bound}::numeric${many}`
      case 'float':
        // A fraction cannot take the integer type of the sum that it is compared with.
        return column.aggregate === undefined ? sql`${bound}` : sql`${bound}::numeric${many}`
      default:
        return sql`${bound}`
    }
  }

  /** An array is a single parameter, so that the statement is the same for lists of any length. */
  const typedArray = (column: DialectColumn, values: Param<readonly PlanValue[]>): Fragment =>
    typed(
      column,
      () => values.decide((all) => all.every(isInt4)),
      itemsOfArray(column, values),
      sql`[]`,
    )

  const compare = (
    column: DialectColumn,
    ref: Ref,
    operator: Comparison,
    value: Param<PlanValue>,
  ): Test => {
    if (column.type === 'datetime') {
      const iso = value.map(String)
      switch (iso.decide(distanceOf)) {
        case 'infinite':
          return plainCompare(ref, operator, iso)
        case 'far':
          return spanCompare(ref, operator, iso.map(textOf), iso.map(lastText))
        case 'usual':
          return rangeCompare(ref, operator, iso, iso.map(nextMillisecond))
      }
    }
    if (column.type === 'time') {
      const time = value.map(String)
      // There is no second after 24:00:00.
      if (time.decide((text) => text.startsWith('24'))) return plainCompare(ref, operator, time)
      return rangeCompare(ref, operator, time, time.map(nextSecond))
    }
    const bound = typed(
      column,
      () => value.decide(isInt4),
      value.map((one) => bind(column, one)),
      sql``,
    )
    if (isLoose(column)) {
      const exact = plainCompare(byCodePoint(ref), operator, bound)
      // Equality under the column's collation can use its index, but may also match other texts; the second test is exact.
      return operator === 'eq' ? sql<SqlBool>`(${ref} = ${bound} and ${exact})` : exact
    }
    // Every deterministic collation compares equality by bytes, and the plain operator can use any index.
    const equality = operator === 'eq' || operator === 'ne'
    return plainCompare(equality ? compared(column, ref) : ordered(column, ref), operator, bound)
  }

  /** The cast of a list of a column's values to an array; undefined if the list cannot have the type of the column. */
  const arrayOf = (
    column: DialectColumn,
  ): ((values: Param<readonly PlanValue[]>) => Fragment) | undefined => {
    if (column.type === 'datetime' || column.type === 'time' || isLoose(column)) return undefined
    if (column.type === 'integer' || column.type === 'bigint' || column.type === 'decimal') {
      return (values) => typedArray(column, values)
    }
    const cast = arrayCasts.get(facts.declared(column)?.name ?? '')
    return cast && ((values) => sql`${itemsOfArray(column, values)}${cast}`)
  }

  /** `(a, b) in (select * from unnest($1::int4[], $2::text[]))`: PostgreSQL looks up each key by an index of the columns. */
  const keyList = (columns: readonly DialectColumn[]): KeyList | undefined => {
    const arrays = columns.map(arrayOf)
    if (arrays.includes(undefined)) return undefined
    return {
      mostGroups: 32,
      test: (refs, keys) => {
        const lists = arrays.map((array, i) =>
          array?.(keys.map((all) => all.map((key) => key[i] as PlanValue))),
        )
        return sql<SqlBool>`(${sql.join(refs)}) in (select * from unnest(${sql.join(lists)}))`
      },
    }
  }

  /** PostgreSQL compares columns of two collations only if equal texts are the same under both. */
  const differInCollation = (one: DialectColumn, other: DialectColumn): boolean =>
    (facts.collates(one) === 'loose' || facts.collates(other) === 'loose') &&
    facts.declared(one)?.collated !== facts.declared(other)?.collated

  const keySides = ({ column, ref, otherColumn, otherRef }: KeyPair): KeySides => {
    if (isLoose(column) || isLoose(otherColumn) || differInCollation(column, otherColumn)) {
      return { own: byCodePoint(ref), other: byCodePoint(otherRef) }
    }
    return comparesAsText(column, otherColumn)
      ? { own: sql`${ref}::text`, other: sql`${otherRef}::text` }
      : { own: compared(column, ref), other: compared(otherColumn, otherRef) }
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
    sessionSettings: postgresSessionSettings,
    numberedKeys: numberedKeysOf(facts),
    differInCollation,
    lockReferred: (table) => (facts.locks(table) ? sql`for key share` : undefined),
    server: {
      maxValues: 65_535,
      checkDeferred: 'set constraints all immediate',
      interruption: postgresInterruption,
      isReadOnly: sql`current_setting('transaction_read_only') = 'on'`,
      replication: postgresReplication,
      clock: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
      poolAdvice: listenerAdvice,
    },
    shortcuts: {
      multiRowInserts: {
        omitted: () => sql`default`,
        counter: { by: 'returning' },
        // Parsing and planning thousands of parameters costs more than inserting the rows.
        selectsValues: true,
        series: (rows) => sql`generate_series(1, ${rows}::int)`,
      },
      keepsByCase: true,
      valuesTable: (columns) =>
        arraysTable(columns, (column) => facts.declared(column)?.name ?? ''),
      keyList,
      equalsValue(column, ref, value) {
        const declared = facts.declared(column)?.name ?? ''
        if (!(column.type === 'uuid' ? ['uuid'] : textTypes).includes(declared)) return undefined
        const own = sql<SqlBool>`${ref} = ${value}`
        return isLoose(column)
          ? sql<SqlBool>`(${own} and ${byCodePoint(ref)} = ${byCodePoint(value)})`
          : own
      },
      locksFoundRowsOnly: true,
      lockBesidesKeys: sql`for no key update`,
      sharesLookUps: true,
      textStyle: { quote: '"', placeholders: 'numbered' },
      // A second round trip and plan cost more than the subquery.
      countsInStatement: true,
      countsGroupsByWindow: true,
      computesSkippedRows: true,
      plansForLimit: true,
      jsonText: postgresJson(facts),
      writer: writerOf,
      // PostgreSQL plans EXISTS and IN as the same semi-join.
      keysIn: (lookUp, keys, rows) =>
        lookUp === 'once' ? inDistinctKeys(keys.map(keySides), rows) : undefined,
      updatesReadAnyTable: true,
      lookUpSingleWrites: postgresSingleWrites,
    },

    select,
    decoder: (column) =>
      column.type === 'binary' ? byteaDecoder(decoderOf(column)) : decoderOf(column),
    encode: (column, value) =>
      encode(
        column,
        column.type === 'datetime' && typeof value === 'string'
          ? cutMoment(value, facts.declared(column)?.held.digits)
          : value,
      ),
    holds: (column) => facts.declared(column)?.held,
    compare,

    oneOf(column, ref, values, negated) {
      if (column.type === 'datetime' || column.type === 'time') {
        return (negated ? momentNotIn : momentIn)(facts, column, ref, values)
      }
      const list = typedArray(column, values)
      if (negated) {
        return sql<SqlBool>`${isLoose(column) ? byCodePoint(ref) : compared(column, ref)} <> all(${list})`
      }
      const own = sql<SqlBool>`${compared(column, ref)} = any(${list})`
      return isLoose(column) ? sql<SqlBool>`(${own} and ${byCodePoint(ref)} = any(${list}))` : own
    },

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      // Without COLLATE, an index with pattern operators can be used; under a deterministic collation, LIKE and ~ give the same result.
      // PostgreSQL refuses patterns under a collation that is not deterministic.
      const areLoose = facts.collates(column) === 'loose'
      const subject = areLoose ? byCodePoint(ref) : sql`${ref}::text`
      const own = column.collation === 'database' && !areLoose
      if (ignoreCase && !own) {
        const pattern = text.map((given) => caseRegExp(match, given))
        return sql<SqlBool>`${subject} ${negated ? sql`!~` : sql`~`} ${pattern}`
      }
      const like = sql`${negated ? sql`not ` : sql``}${ignoreCase ? sql`ilike` : sql`like`}`
      // LIKE compares a text with an index for patterns, but at each place of the column's text; that takes long for a long one.
      const isShort = text.decide((given) => lengthOf(given) <= longestLike)
      if (isShort || match === 'startsWith') {
        const pattern = text.map((given) => likePattern(match, given))
        return sql<SqlBool>`${subject} ${like} ${pattern} escape '!'`
      }
      if (match === 'endsWith') {
        return sql<SqlBool>`right(${subject}, ${text.map(lengthOf)}::int) ${like} ${text.map(likeLiteral)} escape '!'`
      }
      // A regular expression reads each character once.
      const literal = text.map((given) => `***=${given}`)
      return ignoreCase
        ? sql<SqlBool>`${subject} ${negated ? sql`!~*` : sql`~*`} ${literal}`
        : sql<SqlBool>`${subject} ${negated ? sql`!~` : sql`~`} ${literal}`
    },

    listMatch(column, ref, { match, values }) {
      const test = match === 'contains' ? sql`@>` : sql`&&`
      const literal = values.map(arrayLiteral)
      // The literal takes the type of the column, so that an index can be used. If a number is outside that type, both sides are
      // compared as bigint, since the literal would be an error.
      const declared = facts.declared(column)
      return values.decide((all) => all.every((value) => fitsItems(declared, value)))
        ? sql<SqlBool>`${ref} ${test} ${literal}`
        : sql<SqlBool>`${ref}::bigint[] ${test} ${literal}::bigint[]`
    },

    jsonValue: (column, ref, path) => jsonValue(facts.declared(column), ref, path),

    order: (column, ref, direction) => orderTerms(ordered(column, ref), direction, 'largest'),

    specialValues,
    keepsOtherForms: ({ type }) => type === 'time',
    defaultOf: facts.defaultOf,
    constraintColumns: postgresConstraintColumns,
    counterAdvice({ schema, table }, { dbName }, isGenerated) {
      const [name, column] = [quotedName(schema, table), quotedName(dbName)]
      const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
      const [when, sequence] = isGenerated
        ? ['Set its sequence', `pg_get_serial_sequence(${text(name)}, ${text(dbName)})`]
        : ['If its default is a sequence, set that', "'…'"]
      return `${when} forward: select setval(${sequence}, (select max(${column}) from ${name})).`
    },

    orderKey: {
      // NaN and infinities have no JSON number, and a decimal whose model declares a precision takes no infinities from clients.
      compare: (column, ref, operator, key) =>
        (column.type === 'float' || column.type === 'decimal') &&
        key.decide((text) => specialNumber(String(text)) !== undefined)
          ? plainCompare(ref, operator, key)
          : undefined,
    },

    sameKey(column, ref, otherColumn, otherRef) {
      if (comparesAsText(column, otherColumn)) {
        return sql<SqlBool>`${ref}::text = ${otherRef}::text`
      }
      const own = sql<SqlBool>`${compared(column, ref)} = ${compared(otherColumn, otherRef)}`
      const exact = sql<SqlBool>`${byCodePoint(ref)} = ${byCodePoint(otherRef)}`
      if (differInCollation(column, otherColumn)) return exact
      if (!isLoose(column) && !isLoose(otherColumn)) return own
      return sql<SqlBool>`(${own} and ${exact})`
    },

    comparable: asComparable,

    aggregate: exactAggregates({
      extremeOf,
      selectExtreme: select,
      sumAsText: (sum) => sql`${sum}::text`,
      sumAndCountAsText: (sum, count) => sql`${sum}::text || '/' || ${count}::text`,
      rounded,
      integerAverage: (sum, count) => sql`(${sum}::float8 / ${count})`,
      // A divisor with 60 fractional digits makes PostgreSQL compute the quotient with 60, which is then rounded once.
      decimalAverage: (sum, count, digits) =>
        sql`round(${sum} / ${count}::numeric(100, 60), ${natural(digits)})`,
    }),

    bucket(unit, _column, ref) {
      // PostgreSQL computes the epoch of a timestamp without time zone as if it were UTC, so one expression fits both types.
      const utc = sql`(to_timestamp(floor(extract(epoch from ${ref}))) at time zone 'UTC')`
      const finite = (part: Ref): Fragment => sql`case when isfinite(${ref}) then ${part} end`
      if (unit === 'year') return finite(sql`extract(year from ${utc})::int`)
      const form = unit === 'month' ? sql`'YYYY-MM'` : sql`'YYYY-MM-DD'`
      return sql`(${finite(sql`to_char(${utc}, ${form})`)}) collate "C"`
    },

    classify: classifyPostgres,
  }
}

/** The longest text, in characters, that LIKE looks for inside of another one; a regular expression takes longer for short ones. */
const longestLike = 32

/** The types, by their catalogue names, whose values a parameter takes without a cast; each with the cast to an array of the type. */
const arrayCasts: ReadonlyMap<string, Fragment> = new Map([
  ['bool', sql`::bool[]`],
  ['date', sql`::date[]`],
  ['float4', sql`::float4[]`],
  ['float8', sql`::float8[]`],
  ['text', sql`::text[]`],
  ['uuid', sql`::uuid[]`],
  ['varchar', sql`::text[]`],
])

/** The text of a value that the service does not interpret. */
function opaqueText(declared: DeclaredType | undefined, ref: Ref): Ref {
  return declared?.geometry === undefined
    ? sql`${ref}::text`
    : sql`${sql.id(declared.geometry, 'st_astext')}(${ref})`
}

function selectValue(column: DialectColumn, ref: Ref): Ref {
  switch (column.type) {
    case 'integer':
    case 'float':
    case 'boolean':
    case 'binary':
      return ref
    case 'list':
      // Cast to text, items have the same format as selected columns of their type.
      return sql`array_to_json(${ref}::text[])::text`
    default:
      return sql`${ref}::text`
  }
}

function byCodePoint(ref: Ref): Fragment {
  return sql`${ref}::text collate "C"`
}

/** The types whose values are equal exactly if their texts are, unless the collation says otherwise. */
const textTypes: readonly string[] = ['text', 'varchar']

/** Whether both columns must be cast to text: text, uuid and enums are different database types, which PostgreSQL does not compare. */
const comparesAsText = (column: DialectColumn, other: DialectColumn): boolean =>
  column.type !== other.type && (isText(column) || isText(other))

const isInt4 = (value: PlanValue): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && value >= -(2 ** 31) && value < 2 ** 31

/** Whether the items of an array type can hold the value. Only int2 and int4 are narrower than a checked value of 64 bits. */
function fitsItems(declared: DeclaredType | undefined, value: PlanValue): boolean {
  const bits = declared?.name === '_int2' ? 15 : declared?.name === '_int4' ? 31 : undefined
  if (bits === undefined || (typeof value !== 'number' && typeof value !== 'bigint')) return true
  return value >= -(2 ** bits) && value < 2 ** bits
}

/** Binds as text if numbers of JavaScript or of the driver could lose digits. */
function bind(column: DialectColumn, value: PlanValue): unknown {
  if (column.type === 'date') return farText(String(value)) ?? value
  return column.type === 'bigint' || column.type === 'decimal' ? String(value) : value
}

const itemsOfArray = (
  column: DialectColumn,
  values: Param<readonly PlanValue[]>,
): Param<readonly unknown[]> => values.map((all) => all.map((value) => bind(column, value)))

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
      return infinityOf(String(value)) ?? farText(String(value)) ?? canonicalInstant(value)
    case 'date':
      return farText(String(value)) ?? value
    case 'json':
      // postgres.js would write the text as a JSON string if the server asked for a parameter of type json.
      return sql`${jsonText(value)}::text::json`
    case 'list':
      return Array.isArray(value) ? arrayLiteral(itemsOf(column, value)) : value
    default:
      return encodeCommon(column, value)
  }
}

/** Converts dates and datetimes in a list to the format that PostgreSQL reads. */
function itemsOf(column: DialectColumn, list: readonly unknown[]): readonly unknown[] {
  if (column.items !== 'date' && column.items !== 'datetime') return list
  return list.map((item) =>
    Array.isArray(item) ? itemsOf(column, item) : (farText(String(item)) ?? item),
  )
}

const dates = farMoments('date')
const moments = farMoments('datetime')
/** `24:00:00`, PostgreSQL's end of a day, which is later than its last second; with six fractional digits in cursors. */
const endOfDay: SpecialValues = {
  read: (text) => (/^24:00:00(?:[.]0{6})?$/.test(text) ? text : undefined),
  isOnlyShown: () => true,
  pattern: '^24:00:00$',
}
const numbers: SpecialValues = { read: specialNumber, pattern: '^(NaN|-?Infinity)$' }
const onlyNaN: SpecialValues = {
  read: (text) => (text === 'NaN' ? text : undefined),
  pattern: '^NaN$',
}

/** Returns the special values of a type, as PostgreSQL prints them. A numeric with a declared precision cannot be infinite. */
function specialValues({ type, precision }: DialectColumn): SpecialValues | undefined {
  if (type === 'date') return dates
  if (type === 'datetime') return moments
  if (type === 'time') return endOfDay
  if (type !== 'decimal') return undefined
  return precision === undefined ? numbers : onlyNaN
}
