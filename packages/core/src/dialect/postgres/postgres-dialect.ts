// The dialect of PostgreSQL: compares text under the "C" collation, selects as text what drivers may parse inexactly, and computes calendar
// units in UTC. Its members are described in `dialect.ts` and `internal-dialect.ts`.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { Comparison } from '../../model/query-words/operators.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect, KeyList, KeyPair } from '../internal-dialect.ts'
import { writerOf } from '../shared/json/json-writer.ts'
import { arrayLiteral } from '../shared/json/list-text.ts'
import { byCodePointOnly } from '../shared/sql/compared-column.ts'
import {
  caseRegExp,
  hasNoForm,
  lengthOf,
  likeLiteral,
  likePattern,
} from '../shared/sql/patterns.ts'
import {
  inDistinctKeys,
  isText,
  type KeySides,
  natural,
  nullsOrderTerms,
  plainCompare,
  type Ref,
  type SqlTest,
} from '../shared/sql/sql-parts.ts'
import { specialNumber } from '../shared/values/decimal.ts'
import {
  type DriverValues,
  lookUpDriverValues,
  usualDriver,
} from '../shared/values/driver-values.ts'
import { exactAggregates } from '../shared/values/exact-aggregates.ts'
import { arraysTable, postgresNumberedKeys } from './arrays-table.ts'
import { listenerAdvice } from './pool-advice.ts'
import {
  type DeclaredType,
  lookUpPostgresFacts,
  type PostgresFacts,
  quotedName,
  settingsAdvice,
  unknownPostgresFacts,
} from './postgres-column-facts.ts'
import { postgresConstraintColumns } from './postgres-constraint-columns.ts'
import { utf8Literal } from './postgres-encoding.ts'
import { classifyPostgres } from './postgres-errors.ts'
import { lookUpExclusions } from './postgres-exclusions.ts'
import { postgresInterruption } from './postgres-interruption.ts'
import { postgresJson } from './postgres-json.ts'
import { postgresJsonValue } from './postgres-json-path.ts'
import { postgresReplication } from './postgres-replication.ts'
import { postgresSearchIndexes } from './postgres-search-index.ts'
import { postgresSessionSettings } from './postgres-session-settings.ts'
import { postgresSingleWrites } from './postgres-writes.ts'
import { momentIn, momentNotIn } from './types/moment-lists.ts'
import { driverProbes, postgresComparand, postgresRowDecoder } from './types/postgres-row-values.ts'
import { postgresTypes } from './types/postgres-types.ts'

/** PostgreSQL; `connect` reads how the columns are declared and collated. */
export const postgres: InternalDialect = {
  ...dialectWith(unknownPostgresFacts),
  async connect(db, tables = []) {
    const driver = await lookUpDriver(db)
    const connected = dialectWith(await lookUpPostgresFacts(db, tables), driver)
    const { advice, foundByIndex } = await postgresSearchIndexes(db, tables)
    const server = { ...connected.server, advice: [...(await settingsAdvice(db)), ...advice] }
    const exclusionConstraints = await lookUpExclusions(db, tables)
    return {
      ...connected,
      server,
      foundByIndex,
      ...(exclusionConstraints && { exclusionConstraints }),
    }
  },
}

function dialectWith(facts: PostgresFacts, driver = usualDriver): InternalDialect {
  const { lacks } = facts
  const isLacking = (value: PlanValue): boolean =>
    lacks !== undefined && typeof value === 'string' && lacks(value)

  /**
   * Returns the expression to order a column by: text by code point. A native uuid sorts as its text does. Here and below,
   * `column.comparable` says that `ref` is no column, but the result of `comparable`, `bucket` or an aggregate already.
   */
  const ordered = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable || column.collation === 'database' || !isText(column)) return ref
    return postgresTypes[column.type].sortsByCodePoint || facts.collates(column) === 'codePoint'
      ? ref
      : byCodePoint(ref)
  }

  /** The column in a comparison by the operators of its type; an index can be used. */
  const compared = (column: DialectColumn, ref: Ref): Ref => {
    const asEnum = column.comparable ? undefined : facts.declared(column)?.asEnum
    return asEnum === undefined ? ref : sql`${ref}${asEnum}`
  }

  /** Whether the column's collation finds texts equal that the service tells apart. */
  const hasLooseCollation = (column: DialectColumn): boolean =>
    facts.collates(column) === 'loose' && column.collation !== 'database'

  const asComparable = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable) return ref
    const { comparable } = postgresTypes[column.type]
    return comparable === false ? ordered(column, ref) : comparable(ref)
  }

  const select = (column: DialectColumn, ref: Ref): Ref =>
    postgresTypes[column.type].select(ref, facts.declared(column))

  const extremeOf = (column: DialectColumn, ref: Ref): Ref =>
    // Stored datetimes and times are in order, so MIN and MAX of the plain column can use its index.
    postgresTypes[column.type].span === false ? asComparable(column, ref) : ref

  /** Casts a bound value as its type needs. `areInt4`: whether all values fit 32 bits. `many` is `[]` if `bound` is an array. */
  const typed = (
    column: DialectColumn,
    areInt4: () => boolean,
    bound: unknown,
    many: Fragment,
  ): Fragment => {
    const cast = postgresTypes[column.type].cast(
      column,
      () => facts.declared(column)?.name === 'int4' && areInt4(),
    )
    return cast === undefined ? sql`${bound}` : sql`${bound}${cast}${many}`
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
  ): SqlTest => {
    const { span } = postgresTypes[column.type]
    if (span !== false) return span.compare(ref, operator, value)
    if (lacks !== undefined && isText(column) && value.decide(isLacking)) {
      const bytes = value.map((text) => utf8Literal(String(text)))
      return plainCompare(sql`convert_to(${ref}::text, 'UTF8')`, operator, sql`${bytes}::bytea`)
    }
    const bound = typed(
      column,
      () => value.decide(isInt4),
      value.map(postgresTypes[column.type].bind),
      sql``,
    )
    if (hasLooseCollation(column)) {
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
    const { span, castsArrays } = postgresTypes[column.type]
    if (span !== false || hasLooseCollation(column)) return undefined
    if (castsArrays) return (values) => typedArray(column, values)
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
    if (
      hasLooseCollation(column) ||
      hasLooseCollation(otherColumn) ||
      differInCollation(column, otherColumn)
    ) {
      return { ofTable: byCodePoint(ref), ofRow: byCodePoint(otherRef) }
    }
    return comparesAsText(column, otherColumn)
      ? { ofTable: sql`${ref}::text`, ofRow: sql`${otherRef}::text` }
      : { ofTable: compared(column, ref), ofRow: compared(otherColumn, otherRef) }
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
    numberedKeys: postgresNumberedKeys(facts),
    comparedWith: (column, other) =>
      differInCollation(column, other) ? byCodePointOnly(column) : column,
    lockReferred: (table) => (facts.locks(table) ? sql`for key share` : undefined),
    lockOfName: (name) => sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
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
        generatedKeys: { by: 'returning' },
        // Parsing and planning thousands of parameters costs more than inserting the rows.
        selectsValues: true,
        series: (rows) => sql`generate_series(1, ${rows}::int)`,
      },
      keepsByCase: true,
      // A text that the database cannot have is an error in an array, also beside others.
      valuesTable: (columns) =>
        lacks === undefined
          ? arraysTable(columns, (column) => facts.declared(column)?.name ?? '')
          : undefined,
      keyList: (columns) => (lacks === undefined ? keyList(columns) : undefined),
      equalsValue(column, ref, value) {
        const declared = facts.declared(column)?.name ?? ''
        if (!postgresTypes[column.type].textTypes.includes(declared)) return undefined
        const byOwnCollation = sql<SqlBool>`${ref} = ${value}`
        return hasLooseCollation(column)
          ? sql<SqlBool>`(${byOwnCollation} and ${byCodePoint(ref)} = ${byCodePoint(value)})`
          : byOwnCollation
      },
      locksFoundRowsOnly: true,
      lockBesidesKeys: sql`for no key update`,
      sharesLookUps: true,
      textStyle: { quote: '"', placeholders: 'numbered' },
      // A second round trip and plan cost more than the subquery.
      countsInStatement: true,
      countsGroupsByWindow: true,
      distinctOn: true,
      groupsRelatedRows: true,
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
    decoder: (column) => postgresTypes[column.type].decoder(column),
    encode: (column, value) =>
      value === null || value === undefined
        ? null
        : postgresTypes[column.type].encode(value, column, facts),
    rowDecoder: (column) => postgresRowDecoder(column, facts, driver),
    comparand: (column, value) =>
      value === null || value === undefined ? null : postgresComparand(column, value, facts),
    holds: (column) => facts.declared(column)?.held,
    compare,

    oneOf(column, ref, values, negated) {
      const { span } = postgresTypes[column.type]
      if (span !== false) {
        return (negated ? momentNotIn : momentIn)(facts, span, column, ref, values)
      }
      if (lacks !== undefined && values.decide((all) => all.length > 0 && all.every(isLacking))) {
        const first = values.share(([value]) => value as PlanValue)
        return compare(column, ref, negated ? 'ne' : 'eq', first)
      }
      const known =
        lacks === undefined
          ? values
          : values.share((all) => all.filter((value) => !isLacking(value)))
      const list = typedArray(column, known)
      if (negated) {
        return sql<SqlBool>`${hasLooseCollation(column) ? byCodePoint(ref) : compared(column, ref)} <> all(${list})`
      }
      const byOwnCollation = sql<SqlBool>`${compared(column, ref)} = any(${list})`
      return hasLooseCollation(column)
        ? sql<SqlBool>`(${byOwnCollation} and ${byCodePoint(ref)} = any(${list}))`
        : byOwnCollation
    },

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      // Without COLLATE, an index with pattern operators can be used; under a deterministic collation, LIKE and ~ give the same result.
      // PostgreSQL refuses patterns under a collation that is not deterministic.
      const areLoose = facts.collates(column) === 'loose'
      const subject = areLoose ? byCodePoint(ref) : sql`${ref}::text`
      const usesOwnCollation = column.collation === 'database' && !areLoose
      const isNowhere = (searched: string): boolean =>
        lacks !== undefined &&
        (ignoreCase && !usesOwnCollation ? hasNoForm(searched, lacks) : lacks(searched))
      if (lacks !== undefined && text.decide(isNowhere)) {
        // A text that the database cannot have, so that no row contains it: equality fails (`eq`) or holds (`ne`) for every row.
        return compare(column, ref, negated ? 'ne' : 'eq', text)
      }
      if (ignoreCase && !usesOwnCollation) {
        const pattern = text.map((searched) => caseRegExp(match, searched, lacks))
        return sql<SqlBool>`${subject} ${negated ? sql`!~` : sql`~`} ${pattern}`
      }
      const like = sql`${negated ? sql`not ` : sql``}${ignoreCase ? sql`ilike` : sql`like`}`
      // LIKE compares a text with an index for patterns, but at each place of the column's text; that takes long for a long one.
      const isShort = text.decide((searched) => lengthOf(searched) <= longestLike)
      if (isShort || match === 'startsWith') {
        const pattern = text.map((searched) => likePattern(match, searched))
        return sql<SqlBool>`${subject} ${like} ${pattern} escape '!'`
      }
      if (match === 'endsWith') {
        return sql<SqlBool>`right(${subject}, ${text.map(lengthOf)}::int) ${like} ${text.map(likeLiteral)} escape '!'`
      }
      // A regular expression reads each character once; `***=` makes the rest of it literal.
      const literal = text.map((searched) => `***=${searched}`)
      return ignoreCase
        ? sql<SqlBool>`${subject} ${negated ? sql`!~*` : sql`~*`} ${literal}`
        : sql<SqlBool>`${subject} ${negated ? sql`!~` : sql`~`} ${literal}`
    },

    listMatch(column, ref, { match, values }) {
      const test = match === 'contains' ? sql`@>` : sql`&&`
      if (lacks !== undefined && values.decide((all) => all.some(isLacking))) {
        const known = values.share((all) => all.filter((value) => !isLacking(value)))
        // False for every list, NULL for NULL.
        const none = sql<SqlBool>`${ref} && '{}'`
        return match === 'contains' || known.decide(({ length }) => length === 0)
          ? none
          : (this.listMatch?.(column, ref, { match, values: known }) ?? none)
      }
      const literal = values.map(arrayLiteral)
      // The literal takes the type of the column, so that an index can be used. If a number is outside that type, both sides are
      // compared as bigint, since the literal would be an error.
      const declared = facts.declared(column)
      return values.decide((all) => all.every((value) => fitsItems(declared, value)))
        ? sql<SqlBool>`${ref} ${test} ${literal}`
        : sql<SqlBool>`${ref}::bigint[] ${test} ${literal}::bigint[]`
    },

    jsonValue: (column, ref, path) => postgresJsonValue(facts.declared(column), ref, path),

    order: (column, ref, direction) => nullsOrderTerms(ordered(column, ref), direction, 'largest'),

    specialValues: (column) => postgresTypes[column.type].special(column),
    keepsOtherForms: ({ type }) => postgresTypes[type].keepsOtherForms,
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
      compare: (column, ref, operator, key) =>
        postgresTypes[column.type].hasNaN &&
        key.decide((text) => specialNumber(String(text)) !== undefined)
          ? plainCompare(ref, operator, key)
          : undefined,
    },

    sameKey(column, ref, otherColumn, otherRef) {
      if (comparesAsText(column, otherColumn)) {
        return sql<SqlBool>`${ref}::text = ${otherRef}::text`
      }
      const byOwnCollation = sql<SqlBool>`${compared(column, ref)} = ${compared(otherColumn, otherRef)}`
      const exact = sql<SqlBool>`${byCodePoint(ref)} = ${byCodePoint(otherRef)}`
      if (differInCollation(column, otherColumn)) return exact
      if (!hasLooseCollation(column) && !hasLooseCollation(otherColumn)) return byOwnCollation
      return sql<SqlBool>`(${byOwnCollation} and ${exact})`
    },

    comparable: asComparable,

    aggregate: exactAggregates({
      extremeOf,
      selectExtreme: select,
      sumAsText: (sum) => sql`${sum}::text`,
      sumAndCountAsText: (sum, count) => sql`${sum}::text || '/' || ${count}::text`,
      selectFloat: (float) => float,
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

/** Finds out what the driver makes of values. A server that only speaks PostgreSQL's protocol may not know the types. */
const lookUpDriver = (db: AnyDatabase): Promise<DriverValues> =>
  lookUpDriverValues(db, driverProbes).catch((error: unknown) => {
    if (classifyPostgres(error).kind === 'other') return usualDriver
    throw error
  })

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

/** The text under the collation "C", which compares by code point. */
function byCodePoint(ref: Ref): Fragment {
  return sql`${ref}::text collate "C"`
}

/** Whether both columns must be cast to text: text, uuid and enums are different database types, which PostgreSQL does not compare. */
const comparesAsText = (column: DialectColumn, other: DialectColumn): boolean =>
  column.type !== other.type && (isText(column) || isText(other))

const isInt4 = (value: PlanValue): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && value >= -(2 ** 31) && value < 2 ** 31

/** Whether the items of an array type can hold the value. Only int2 and int4 are narrower than a checked value of 64 bits. */
function fitsItems(declared: DeclaredType | undefined, value: PlanValue): boolean {
  // The catalogue names an array by its items, with an underscore before.
  const bits = declared?.name === '_int2' ? 15 : declared?.name === '_int4' ? 31 : undefined
  if (bits === undefined || (typeof value !== 'number' && typeof value !== 'bigint')) return true
  return value >= -(2 ** bits) && value < 2 ** bits
}

const itemsOfArray = (
  column: DialectColumn,
  values: Param<readonly PlanValue[]>,
): Param<readonly unknown[]> =>
  values.map((all) => all.map((value) => postgresTypes[column.type].bind(value)))

/** Rounds to twelve significant digits; NULL for NaN and infinities. */
function rounded(value: Ref): Fragment {
  const numeric = sql`${value}::numeric`
  const digits = sql`(11 - floor(log(abs(nullif(${numeric}, 0)))))::int`
  const finite = sql`abs(${value}) < 'Infinity'::float8`
  return sql`case when ${value} = 0 then 0 when ${finite} then round(${numeric}, ${digits})::float8 end`
}
