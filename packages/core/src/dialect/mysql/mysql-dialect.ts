// The dialect of MySQL and MariaDB: compares text under a binary collation as well as the column's own, casts parameters, and tests
// `ilike` by a regular expression. Its members are described in `dialect.ts` and `internal-dialect.ts`.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { insideQuotes } from '../../lib/json/quoted.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { Comparison } from '../../model/query-words/operators.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect, KeyList, KeyPair } from '../internal-dialect.ts'
import type { RelatedLookUp } from '../related-look-up.ts'
import { writerOf, writerOfDecoder, writerOfTexts } from '../shared/json/json-writer.ts'
import { byCodePointOnly } from '../shared/sql/compared-column.ts'
import { caseRegExp, lengthOf, likeLiteral, likePattern } from '../shared/sql/patterns.ts'
import {
  canonicalInstant,
  cutMoment,
  inDistinctKeys,
  inKeys,
  inList,
  isText,
  type KeySides,
  natural,
  neighbours,
  paddedItems,
  plainCompare,
  type Ref,
  type SqlTest,
  spanCompare,
} from '../shared/sql/sql-parts.ts'
import { blankForm } from '../shared/values/calendar-text.ts'
import { decoderOf, lowerUuid, textOf } from '../shared/values/decode.ts'
import { exactAggregates } from '../shared/values/exact-aggregates.ts'
import { mysqlEngine } from './engine-mysql.ts'
import {
  type ColumnFacts,
  lookUpMysqlFacts,
  type MysqlFacts,
  unknownMysqlFacts,
} from './mysql-column-facts.ts'
import { mysqlConstraintColumns } from './mysql-constraint-columns.ts'
import { classifyMysql } from './mysql-errors.ts'
import { mysqlInterruption } from './mysql-interruption.ts'
import { mysqlJsonValue } from './mysql-json-path.ts'
import { mysqlSearchIndexes } from './mysql-search-index.ts'
import { jsonSeries, jsonTable, mysqlNumberedKeys } from './mysql-values-table.ts'
import { mysqlOrderedUpdates, mysqlSingleWrites } from './mysql-writes.ts'
import { mysqlSessionSettings } from './session/mysql-session-settings.ts'
import {
  haveZeroDate,
  isMoment,
  isSpan,
  isTime,
  isZeroDate,
  lastOfMoment,
  secondsAround,
  shownText,
  spansOf,
} from './types/mysql-moments.ts'
import { mysqlComparand, mysqlRowDecoder } from './types/mysql-row-values.ts'
import { mysqlTypes } from './types/mysql-types.ts'
import { compareSecond } from './types/times.ts'

/** MySQL and MariaDB; `connect` finds out which of them, and how the columns are declared. */
export const mysql: InternalDialect = {
  ...dialectWith(unknownMysqlFacts),
  async connect(db, tables = []) {
    const connected = dialectWith(await lookUpMysqlFacts(db, tables))
    const { advice, foundByIndex } = await mysqlSearchIndexes(db, tables)
    return { ...connected, server: { ...connected.server, advice }, foundByIndex }
  },
}

function dialectWith(facts: MysqlFacts): InternalDialect {
  // Before `connect`, the SQL is MySQL's, without a time limit, and correct for a column with any declaration.
  const { engine = mysqlEngine } = facts

  /** Returns text under a collation that compares and orders by code point and does not ignore trailing spaces. */
  const byCodePoint = (column: DialectColumn, ref: Ref): Fragment => {
    const text = facts.of(column)?.utf8mb4 ? ref : sql`convert(${ref} using utf8mb4)`
    return sql`${text} collate ${engine.codePointCollation}`
  }

  /**
   * Whether comparing the column under its own collation may differ from comparing by code point, as the service does unless the model says
   * `collation: 'database'`. Here and below, `column.comparable`
   * says that `ref` is no column, but the result of `comparable`, `bucket` or an aggregate already.
   */
  const hasLooseCollation = (column: DialectColumn): boolean => {
    if (!isText(column) || column.collation === 'database' || column.comparable) return false
    const known = facts.of(column)
    // The text of a uuid has no accents and no padding, and its letter case does not matter.
    if (mysqlTypes[column.type].ignoresCase && known !== undefined) return known.nativeUuid
    return !known?.codePoint
  }

  /**
   * Whether the texts of the column have another character set than those of values. In a list of rows, MariaDB compares such a column
   * wrongly: a `latin1` column does not find the texts that are not ASCII.
   */
  const isOfOtherSet = (column: DialectColumn): boolean => {
    const known = isText(column) ? facts.of(column) : undefined
    return known !== undefined && known.collation !== '' && !known.utf8mb4
  }

  /**
   * Tells whether the character set of the column lacks characters of a value, which the server refuses to compare with the column;
   * undefined if it has all.
   */
  const lacking = (column: DialectColumn): ((value: PlanValue) => boolean) | undefined => {
    const lacks = isText(column) ? facts.of(column)?.lacks : undefined
    return lacks && ((value) => typeof value === 'string' && lacks(value))
  }

  /** Whether the column finds a uuid in capitals by its text in lower case, as which responses have it. */
  const isAnyCase = (column: DialectColumn): boolean =>
    mysqlTypes[column.type].ignoresCase && facts.of(column)?.collation.endsWith('_ci') === true

  /** Whether the column may store other numbers than 0 and 1, such as a `tinyint(1)`, so that it is compared by its truth. */
  const hasTruths = (column: DialectColumn): boolean => {
    if (!mysqlTypes[column.type].isTruth || column.comparable) return false
    const known = facts.of(column)
    return known?.opaque !== 'bits' || known.bits !== 1
  }

  /**
   * Whether the driver may convert the values of the column, so that they are selected as text: it rounds numbers, makes objects of
   * dates, and parses JSON, also that of MariaDB's functions in views.
   */
  const isSelectedAsText = (column: DialectColumn): boolean =>
    mysqlTypes[column.type].isSelectedAsText || isOtherText(column)

  /** Whether the values of a text column may be of another type than text, or JSON. */
  const isOtherText = (column: DialectColumn): boolean =>
    isText(column) && !column.comparable && facts.of(column)?.isPlainText !== true

  const isZoned = (column: DialectColumn): boolean =>
    !column.comparable && facts.of(column)?.zoned === true

  /** Converts a datetime to UTC, whatever the session's time zone is; leaves a zero date as it is. */
  const utc = (column: DialectColumn, ref: Ref): Ref =>
    isZoned(column)
      ? sql`if(${ref} = 0, ${ref}, timestamp('1970-01-01') + interval unix_timestamp(${ref}) second)`
      : ref

  const microseconds = (column: DialectColumn, ref: Ref): Fragment =>
    sql`date_format(${utc(column, ref)}, '%Y-%m-%d %H:%i:%s.%f')`

  /** Returns a parameter for comparisons with the column; `text` is a datetime in UTC. */
  const instant = <T extends string | Param<string>>(column: DialectColumn, text: T): Ref | T =>
    isZoned(column) ? sql`convert_tz(${text}, '+00:00', @@session.time_zone)` : text

  /** The expression by which a column is ordered and compared with values. */
  const ordered = (column: DialectColumn, ref: Ref): Ref => {
    // Compares the number that responses contain. The stored 32-bit value has other digits, so a value from a response would not
    // equal it, and a cursor would return its own row again.
    if (!column.comparable && facts.of(column)?.single) return sql`(cast(${ref} as char(60)) + 0e0)`
    return keySide(column, ref)
  }

  /** The expression that is equal for equal values, in a comparison of two columns. */
  const keySide = (column: DialectColumn, ref: Ref): Ref => {
    if (hasTruths(column)) return sql`(${ref} <> 0)`
    return hasLooseCollation(column) ? byCodePoint(column, ref) : ref
  }

  /** The text of a value that the service does not interpret. */
  const opaqueText = (column: DialectColumn, ref: Ref): Ref => {
    const known = facts.of(column)
    switch (known?.opaque) {
      case 'bits':
        return sql`lpad(bin(${ref} + 0), ${natural(known.bits)}, '0')`
      case 'geometry':
        return engine.geometryText(ref)
      case 'vector':
        return engine.vectorText(ref)
      default:
        return sql`cast(${ref} as char)`
    }
  }

  const select = (column: DialectColumn, ref: Ref): Ref => {
    if (mysqlTypes[column.type].isOpaque) return opaqueText(column, ref)
    if (!isSelectedAsText(column)) return ref
    // What groups datetimes and times is their text. With ONLY_FULL_GROUP_BY, MariaDB does not recognise it inside CAST.
    if (column.comparable) {
      return isSpan(column) ? ref : asText(column, engine.insideGroup(ref))
    }
    // Casts a stored column directly. `doubleText` may convert by JSON, in which a FLOAT has the digits of a double.
    if (mysqlTypes[column.type].isDouble && facts.of(column) !== undefined) {
      return sql`cast(${ref} as char(60))`
    }
    return asText(column, utc(column, ref))
  }

  const asText = (column: DialectColumn, value: Ref): Ref => {
    if (mysqlTypes[column.type].isDouble) return engine.doubleText(value)
    return isSelectedAsText(column) ? sql`cast(${value} as char)` : value
  }

  const asComparable = (column: DialectColumn, ref: Ref): Ref => {
    if (column.comparable) return ref
    if (isAnyCase(column)) return sql`lower(${ref})`
    switch (mysqlTypes[column.type].calendar) {
      case 'datetime':
        return sql`left(${microseconds(column, ref)}, 23)`
      case 'time':
        return sql`substring_index(cast(${ref} as char), '.', 1)`
      default:
        // Compares bytes instead of adding COLLATE, because with ONLY_FULL_GROUP_BY MariaDB does not recognise a grouped COLLATE
        // expression in SELECT.
        if (hasLooseCollation(column)) return sql`cast(convert(${ref} using utf8mb4) as binary)`
        return isOtherText(column) ? sql`cast(${ref} as char)` : ordered(column, ref)
    }
  }

  const extremeOf = (column: DialectColumn, ref: Ref): Ref => {
    // Stored datetimes and times are in order, so MIN and MAX of the plain column can use its index.
    const { calendar } = mysqlTypes[column.type]
    if (calendar === 'time' || (calendar === 'datetime' && !isZoned(column))) return ref
    // As text, because MySQL's MIN and MAX skip computed zero dates.
    return calendar === 'datetime' ? microseconds(column, ref) : ordered(column, ref)
  }

  const compare = (
    column: DialectColumn,
    ref: Ref,
    operator: Comparison,
    value: Param<PlanValue>,
  ): SqlTest => {
    const { calendar, bind } = mysqlTypes[column.type]
    if (isMoment(column) && value.decide(isZeroDate)) {
      // MySQL refuses to compare such a value with a date; the text has the same order.
      if (calendar === 'date') {
        return plainCompare(sql`cast(${ref} as char)`, operator, value.map(String))
      }
      const first = value.map((moment) => blankForm(String(moment)).padEnd(26, '0'))
      const last = value.map((moment) => lastOfMoment(blankForm(String(moment))).padEnd(26, '0'))
      return spanCompare(microseconds(column, ref), operator, first, last)
    }
    if (calendar === 'datetime') {
      const first = value.map(shownText)
      const last = first.map(lastOfMoment)
      return spanCompare(ref, operator, instant(column, first), instant(column, last))
    }
    if (calendar === 'time') {
      const time = value.map(String)
      // A time with a fraction comes from a cursor and equals a stored value. A range up to the next microsecond would be wrong,
      // because MySQL rounds its end to the column's precision.
      return time.decide((text) => text.includes('.'))
        ? plainCompare(ref, operator, time)
        : compareSecond(ref, operator, time)
    }
    if (hasTruths(column) && (operator === 'eq' || operator === 'ne')) {
      const isTrue = value.decide((truth) => truth === (operator === 'eq'))
      // With a literal, so that an index of the column can be used.
      return isTrue ? sql<SqlBool>`${ref} <> 0` : sql<SqlBool>`${ref} = 0`
    }
    const bound = bind(value, column)
    const lacks = lacking(column)
    if (lacks !== undefined && value.decide(lacks)) {
      return operator === 'eq'
        ? matchesNone(ref)
        : plainCompare(byCodePoint(column, ref), operator, bound)
    }
    const exact = plainCompare(ordered(column, ref), operator, bound)
    // Equality under the column's collation can use its index, but may also match other texts; the second test is exact.
    return hasLooseCollation(column) && operator === 'eq'
      ? sql<SqlBool>`(${ref} = ${bound} and ${exact})`
      : exact
  }

  /** How a column is compared with the values of a list: exactly `by` an expression, and `near` them by an index. Not for datetimes and times. */
  const listed = (column: DialectColumn, ref: Ref, values: Param<readonly PlanValue[]>): Listed => {
    const items = paddedItems(values)
    if (mysqlTypes[column.type].calendar === 'date' && values.decide(haveZeroDate)) {
      // MySQL refuses to compare such a value with a date; the text has the same order.
      const text = sql`cast(${ref} as char)`
      return { by: text, near: text, values: items }
    }
    return { by: ordered(column, ref), near: ref, values: bindItems(column, values, items) }
  }

  /** The text of a datetime or time that responses show, also of a zero date and of a value that the statement computes. */
  const shownMoment = (column: DialectColumn, ref: Ref): Ref => {
    const stored = column.comparable ? engine.insideGroup(ref) : ref
    if (isTime(column)) return sql`substring_index(cast(${stored} as char), '.', 1)`
    if (!column.comparable) return asComparable(column, stored)
    // Computed datetimes have no fraction, or one of up to six digits.
    const text = sql`cast(${stored} as char)`
    return sql`rpad(if(locate('.', ${text}) = 0, concat(${text}, '.'), ${text}), 23, '0')`
  }

  /**
   * Tests by which an index on a datetime or time finds the values of a list, and perhaps others: the values themselves if the column
   * stores no more digits than they have, otherwise ranges. Undefined if a value is a zero date, which MySQL refuses to compare.
   */
  const nearMoments = (
    column: DialectColumn,
    ref: Ref,
    values: Param<readonly PlanValue[]>,
  ): SqlTest | undefined => {
    const isTimes = isTime(column)
    if (column.comparable || (!isTimes && values.decide(haveZeroDate))) return undefined
    const { fraction = 6 } = facts.of(column) ?? {}
    const bound = (text: Param<string>): Ref => (isTimes ? text : instant(column, text))
    if (fraction <= (isTimes ? 0 : 3)) {
      const items = paddedItems(values).map((value) => bound(value.map(shownText)))
      return inList(ref, items)
    }
    const ranges = values.share((all) => neighbours(isTimes ? secondsAround(all) : spansOf(all)))
    const each = ranges
      .items(ranges.decide((all) => all.length))
      .map(
        (range) =>
          sql`${ref} between ${bound(range.map(([[low]]) => low))} and ${bound(range.map(([, [, high]]) => high))}`,
      )
    return sql<SqlBool>`(${sql.join(each, sql` or `)})`
  }

  const equalsValue = (column: DialectColumn, ref: Ref, value: Ref): SqlTest | undefined => {
    const known = facts.of(column)
    if (!mysqlTypes[column.type].isTextKey || known === undefined) return undefined
    // A column without a collation is binary, or of a type that is no text.
    if (known.collation === '' && !known.nativeUuid) return undefined
    const byOwnCollation = sql<SqlBool>`${ref} = ${value}`
    if (known.nativeUuid || !hasLooseCollation(column)) return byOwnCollation
    return sql<SqlBool>`(${byOwnCollation} and ${byCodePoint(column, ref)} = ${byCodePoint(column, value)})`
  }

  const keySides = ({ column, ref, otherColumn, otherRef }: KeyPair): KeySides =>
    hasLooseCollation(column) ||
    hasLooseCollation(otherColumn) ||
    collationsClash(facts.of(column), facts.of(otherColumn))
      ? { ofTable: byCodePoint(column, ref), ofRow: byCodePoint(otherColumn, otherRef) }
      : { ofTable: keySide(column, ref), ofRow: keySide(otherColumn, otherRef) }

  /**
   * `(a, b) in ((1, 'x'), (2, 'y'))`. MySQL and MariaDB look up each row of the list in an index; with a subquery on a table of values,
   * MariaDB 10.11 reads the whole table in UPDATE and DELETE.
   */
  const keyList = (columns: readonly DialectColumn[]): KeyList | undefined => {
    if (columns.some(isSpan)) return undefined
    if (columns.some(isOfOtherSet)) return undefined
    return {
      mostGroups: 32,
      test: (refs, keys) => {
        const lists = columns.map((column, i) =>
          listed(
            column,
            refs[i] as Ref,
            keys.share((all) => all.map((key) => key[i] as PlanValue)),
          ),
        )
        const rows = sql.tuples(lists.map(({ values }) => values))
        const exact = sql<SqlBool>`(${sql.join(lists.map(({ by }) => by))}) in (${rows})`
        if (!columns.some(hasLooseCollation)) return exact
        return sql<SqlBool>`((${sql.join(lists.map(({ near }) => near))}) in (${rows}) and ${exact})`
      },
    }
  }

  /** `keysIn` of the shortcuts: undefined for EXISTS. `related-look-up.ts` explains the values of `lookUp`. */
  const keysIn = (
    lookUp: RelatedLookUp,
    keys: readonly KeyPair[],
    rows: Ref,
  ): SqlTest | undefined => {
    // MariaDB merges IN and EXISTS into the join of the statement, unless they are part of an OR.
    if (lookUp === 'unmerged') {
      return sql<SqlBool>`(${inKeys(keys.map(keySides), rows)} or 1 = 0)`
    }
    if (lookUp === 'once') return inDistinctKeys(keys.map(keySides), rows)
    // MariaDB caches results of EXISTS under the collation of the column, so `a` may get the result of `A`. It caches results of
    // IN under the collation of the comparison.
    if (keys.some((key) => collationsClash(facts.of(key.column), facts.of(key.otherColumn)))) {
      return inKeys(keys.map(keySides), rows)
    }
    // Where a driver prepares statements, MariaDB (10.11.19) crashes when it executes one again whose EXISTS contains a derived table
    // with a join and another EXISTS. IN avoids that; MariaDB rewrites EXISTS as IN in any case.
    return lookUp === 'nested' ? inKeys(keys.map(keySides), rows) : undefined
  }

  /** The value to bind; a datetime is cut to this number of digits after the second, if any is given. */
  const encoded = (column: DialectColumn, value: unknown, digits: number | undefined): unknown => {
    if (value === null || value === undefined) return null
    const { calendar, encode } = mysqlTypes[column.type]
    return calendar === 'datetime' && !isZeroDate(value)
      ? instant(column, blankForm(cutMoment(canonicalInstant(value), digits)))
      : encode(value)
  }

  const decoder = (column: DialectColumn): ((raw: unknown) => JsonValue) => {
    const read = decoderOf(column)
    return isAnyCase(column) ? (raw) => (raw === null ? null : lowerUuid(textOf(raw))) : read
  }

  return {
    name: 'mysql',
    capabilities: {
      locksRows: true,
      blocksEventLoop: false,
      createsTablesInTransactions: false,
    },
    storeTypes: {
      datetime: 'datetime(3)',
      digest: 'char(64) character set ascii collate ascii_bin',
      text: 'varchar(255) character set utf8mb4 collate utf8mb4_bin',
      boolean: 'boolean',
    },
    sessionSettings: mysqlSessionSettings,
    lockReferred: () => sql`lock in share mode`,
    readNewest: sql`lock in share mode`,
    server: {
      // Of prepared statements, which a driver may send; the text protocol takes more.
      maxValues: 65_535,
      ...(facts.engine && { textOfRead: facts.engine.textOfRead }),
      interruption: mysqlInterruption,
      isReadOnly: sql`@@global.read_only`,
      replication: engine.replication,
      // unix_timestamp() has no fraction, and unix_timestamp(now()) is ambiguous for an hour each year, when the clocks of the
      // session's zone are set back.
      clock: sql`timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000`,
    },
    shortcuts: {
      // The rows of VALUES get consecutive numbers in every mode of innodb_autoinc_lock_mode.
      multiRowInserts: {
        omitted: () => sql`default`,
        generatedKeys: { by: 'insert id', step: sql`@@auto_increment_increment` },
        ...(facts.hasJsonTable === true && { series: jsonSeries }),
      },
      ...(facts.hasJsonTable === true && {
        lookUpOrderedUpdates: mysqlOrderedUpdates,
        valuesTable: (columns) => jsonTable(columns, facts.of),
        equalsValue,
      }),
      keyList,
      sharesLookUps: true,
      textStyle: { quote: '`', placeholders: 'question marks' },
      // No wrapper of a driver offers them.
      arrayRows: false,
      // A separate count costs more than the subquery, because of its round trip and its plan. Groups are not counted by a window
      // function, with which MariaDB 10.11 ignores ORDER BY.
      countsInStatement: true,
      writer: (column, decode) =>
        isAnyCase(column)
          ? writerOfTexts(lowerInside, writerOfDecoder(decode))
          : writerOf(column, decode),
      keysIn,
      lookUpSingleWrites: mysqlSingleWrites,
    },

    select,
    decoder,
    rowDecoder: (column) => mysqlRowDecoder(column, facts, decoder(column)),
    encode: (column, value) => encoded(column, value, facts.of(column)?.fraction),
    // A moment is compared with all of its digits, also with a column that holds fewer.
    comparand: (column, value) =>
      value === null || value === undefined
        ? null
        : mysqlComparand(column, value, facts, (moment) => encoded(column, moment, undefined)),
    holds: (column) => facts.of(column)?.held,
    compare,
    specialValues: (column) => mysqlTypes[column.type].special(column),
    keepsOtherForms: ({ type }) => mysqlTypes[type].keepsOtherForms,
    constraintColumns: mysqlConstraintColumns,
    keepsOwnReferences: true,
    counterAdvice: ({ table }, { dbName }, isGenerated) =>
      isGenerated
        ? 'Its counter has reached the largest number of the column: give the column a larger type.'
        : `If its default is a sequence, set that forward, beyond the largest "${dbName}" of "${table}".`,
    insertReturns: facts.insertReturns === true,
    comparedWith: (column, other) =>
      collationsClash(facts.of(column), facts.of(other)) ? byCodePointOnly(column) : column,
    ...(facts.hasJsonTable === true && { numberedKeys: mysqlNumberedKeys(facts.of) }),
    defaultOf: (column) => (facts.of(column)?.makesUuid ? sql`uuid()` : undefined),
    insertId: sql`cast(last_insert_id() as char)`,
    // `is null` would also find the zero dates of a column that is declared NOT NULL.
    isNull: (column, ref) =>
      isMoment(column) && !column.comparable
        ? sql<SqlBool>`${ref} <=> null`
        : sql<SqlBool>`${ref} is null`,

    oneOf(column, ref, values, negated) {
      if (isSpan(column)) {
        const shown = paddedItems(values).map((value) => value.map(shownText))
        const exact = inList(shownMoment(column, ref), shown, negated)
        const near = negated ? undefined : nearMoments(column, ref, values)
        return near === undefined ? exact : sql<SqlBool>`(${near} and ${exact})`
      }
      const lacks = lacking(column)
      const known =
        lacks === undefined ? values : values.share((all) => all.filter((value) => !lacks(value)))
      if (lacks !== undefined && known.decide(({ length }) => length === 0)) {
        return negated ? sql<SqlBool>`not ${matchesNone(ref)}` : matchesNone(ref)
      }
      const { by, near, values: items } = listed(column, ref, known)
      const exact = inList(by, items, negated)
      if (negated || !hasLooseCollation(column)) return exact
      return sql<SqlBool>`(${inList(near, items)} and ${exact})`
    },

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      const not = negated ? sql`not ` : sql``
      const lacks = lacking(column)
      const isLacking = lacks !== undefined && text.decide(lacks)
      const isOwn = column.collation === 'database' && !isLacking
      const ignoring = isOwn && ignoresCase(facts.of(column))
      const isByCodePoint = !isLacking && facts.of(column)?.codePoint === true
      const isPlain = isOwn ? ignoring || !ignoreCase : isByCodePoint
      const whole = isPlain ? ref : byCodePoint(column, ref)
      const subject = match === 'endsWith' ? sql`right(${whole}, ${text.map(lengthOf)})` : whole
      if (ignoreCase && !ignoring) {
        // MySQL refuses an empty pattern.
        const pattern = text.map(
          (searched) => caseRegExp(match === 'contains' ? match : 'startsWith', searched) || '^',
        )
        return sql<SqlBool>`${subject} ${not}regexp ${pattern}`
      }
      // LIKE takes up to ten times as long to compare a long text at each place.
      if (!isOwn && match === 'contains') {
        return sql<SqlBool>`instr(${subject}, ${text}) ${negated ? sql`= 0` : sql`> 0`}`
      }
      const pattern = text.map((searched) =>
        match === 'endsWith' ? likeLiteral(searched) : likePattern(match, searched),
      )
      const exact = sql<SqlBool>`${subject} ${not}like ${pattern} escape '!'`
      if (isPlain || negated || isLacking || match !== 'startsWith') return exact
      return sql<SqlBool>`(${ref} like ${pattern} escape '!' and ${exact})`
    },

    jsonValue: (_, ref, path) => mysqlJsonValue(ref, path),

    order(column, ref, { descending, nulls, mayBeNull }) {
      const by = sql`${ordered(column, ref)} ${descending ? sql`desc` : sql`asc`}`
      // MySQL sorts NULL as the smallest value.
      const usualPlace = descending ? 'last' : 'first'
      if (!mayBeNull || nulls === usualPlace) return [by]
      const tested = column.comparable ? engine.insideGroup(ref) : ref
      return [sql`${tested} is null ${nulls === 'first' ? sql`desc` : sql`asc`}`, by]
    },

    sameKey(column, ref, otherColumn, otherRef) {
      const byOwnCollation = sql<SqlBool>`${ref} = ${otherRef}`
      if (
        !hasLooseCollation(column) &&
        !hasLooseCollation(otherColumn) &&
        !collationsClash(facts.of(column), facts.of(otherColumn))
      ) {
        return plainCompare(keySide(column, ref), 'eq', keySide(otherColumn, otherRef))
      }
      const exact = sql<SqlBool>`${byCodePoint(column, ref)} = ${byCodePoint(otherColumn, otherRef)}`
      return collationsClash(facts.of(column), facts.of(otherColumn))
        ? exact
        : sql<SqlBool>`(${byOwnCollation} and ${exact})`
    },

    comparable: asComparable,

    aggregate: exactAggregates({
      extremeOf,
      selectExtreme: (column, extreme) =>
        isAnyCase(column) ? sql`lower(${extreme})` : asText(column, extreme),
      sumAsText: (sum) => sql`cast(${sum} as char)`,
      sumAndCountAsText: (sum, count) => sql`concat(cast(${sum} as char), '/', ${count})`,
      // The aggregate functions themselves give 0 where the sum overflows. A product that overflows is an error.
      selectFloat: (float) => sql`${float} * 1e0`,
      rounded,
      integerAverage: (sum, count) => sql`(${sum} * 1e0 / ${count})`,
      decimalAverage: (sum, count, digits) =>
        sql`round(cast(${sum} as decimal(65, 30)) / ${count}, ${natural(digits)})`,
    }),

    bucket(unit, column, ref) {
      const moment = utc(column, ref)
      if (unit === 'year') return sql`year(${moment})`
      return unit === 'month'
        ? sql`date_format(${moment}, '%Y-%m')`
        : sql`date_format(${moment}, '%Y-%m-%d')`
    },

    classify: classifyMysql,
  }
}

/** A column as a list compares it, and the values as the list has them. */
interface Listed {
  /** Finds exactly the values. */
  readonly by: Ref
  /** Finds them by an index, and perhaps others. */
  readonly near: Ref
  readonly values: readonly unknown[]
}

/** The text of a uuid between the quotes of JSON. */
const lowerInside = (raw: unknown): string | undefined =>
  typeof raw === 'string' ? insideQuotes(lowerUuid(raw)) : undefined

/** Whether the server refuses to compare two columns without COLLATE: it accepts different collations only if one of them is binary. */
function collationsClash(one: ColumnFacts | undefined, other: ColumnFacts | undefined): boolean {
  const [own = '', theirs = ''] = [one?.collation, other?.collation]
  if (own === '' || theirs === '' || own === theirs) return false
  return !own.endsWith('_bin') && !theirs.endsWith('_bin')
}

/** False, or NULL if `ref` is. */
const matchesNone = (ref: Ref): SqlTest => sql<SqlBool>`(${ref} is null and null)`

/** Whether the collation of a column ignores case, as all do whose names have `ci`; unknown ones may. */
const ignoresCase = (facts: ColumnFacts | undefined): boolean =>
  facts === undefined || /_ci(?:_|$)/.test(facts.collation)

/** Binds the items of a list: all in one way, if their type allows it, otherwise each for itself. */
function bindItems(
  column: DialectColumn,
  values: Param<readonly PlanValue[]>,
  items: readonly Param<PlanValue>[],
): readonly Ref[] {
  const { bind, bindAll } = mysqlTypes[column.type]
  return items.map(bindAll(values) ?? ((item) => bind(item, column)))
}

/** Rounds to twelve significant digits. */
function rounded(value: Ref): Fragment {
  return sql`case when ${value} = 0 then 0e0 else round(${value}, 11 - floor(log10(abs(${value})))) end`
}
