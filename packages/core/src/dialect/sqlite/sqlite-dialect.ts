// The dialect of SQLite: compares text by bytes, decimals as integers in units of their scale, and datetimes as UTC text; folds case by
// replacing letters. Its members are described in `dialect.ts` and `internal-dialect.ts`.
// Values of requests are `Param`s (`lib/sql/param.ts`): `map` converts one, `share` does so once for several parameters, and `decide`
// answers a question on which the SQL depends.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect } from '../internal-dialect.ts'
import type { RelatedLookUp } from '../related-look-up.ts'
import { type JsonWriter, writerOfDecoder, writerOfTexts } from '../shared/json/json-writer.ts'
import { type Folded, folded } from '../shared/sql/fold.ts'
import { globPattern, lengthOf, likePattern } from '../shared/sql/patterns.ts'
import {
  inKeys,
  inList,
  type KeySides,
  nullsOrderTerms,
  paddedItems,
  plainCompare,
  type Ref,
  type SqlTest,
} from '../shared/sql/sql-parts.ts'
import { valuesTable } from '../shared/sql/values-table.ts'
import type { Decoder } from '../shared/values/decode.ts'
import { aggregateOf } from './aggregates.ts'
import { shortBusyTimeout } from './busy-timeout.ts'
import { bothSpellings, comparisonsOf, hasSeparateParameters } from './comparisons.ts'
import { numberedKeys } from './numbered-keys.ts'
import {
  asComparable,
  bindOperand,
  isScaled,
  operand,
  sqliteComparand,
  sqliteRowDecoder,
} from './operand.ts'
import { exactValue, readExact } from './order-key.ts'
import { sqliteConstraintColumns } from './sqlite-constraint-columns.ts'
import { classifySqlite } from './sqlite-errors.ts'
import { sqliteObjectText } from './sqlite-json.ts'
import { sqliteJsonValue } from './sqlite-json-path.ts'
import { sqliteSearchIndexes } from './sqlite-search-index.ts'
import { checkSqliteSettings } from './sqlite-session-settings.ts'
import { sqliteSingleWrites } from './sqlite-writes.ts'
import { type KnownForms, knownForms, nothingKnown } from './stored/canonical-columns.ts'
import { columnsWithoutDefault, multiRowInserts } from './stored/column-defaults.ts'
import { type Sampled, sampledColumns } from './stored/samples.ts'
import { firstOf, sqliteTypes, storedDecoder } from './stored/sqlite-types.ts'
import { keysOfViews } from './stored/sqlite-views.ts'
import { sqliteStoredColumns } from './stored/stored-columns.ts'

/** SQLite; `connect` reads how the columns are declared, and in which formats they store values. */
export const sqlite: InternalDialect = sqliteWith(nothingKnown)

/** Creates the dialect; `known` says in which formats indexed columns store their values. */
function sqliteWith(known: KnownForms): InternalDialect {
  const { compare, filter, oneOf, keyList, ordered, sameKey, equalsValue, keySides } =
    comparisonsOf(known)
  const encode = (column: DialectColumn, value: unknown): unknown => {
    if (value === null || value === undefined) return null
    const encoded = sqliteTypes[column.type].encode(value, column)
    const inForm = known.written.get(column)
    return inForm !== undefined && typeof encoded === 'string' ? inForm(encoded) : encoded
  }
  return {
    name: 'sqlite',
    capabilities: {
      locksRows: false,
      blocksEventLoop: true,
      createsTablesInTransactions: true,
    },
    storeTypes: { datetime: 'text', digest: 'text', text: 'text', boolean: 'integer' },
    numberedKeys,
    existsOfMany: (exists, conditions) =>
      conditions > mostMerged ? sql<SqlBool>`not not ${exists}` : exists,
    comparedWith(column, other) {
      const comparedBy = known.collationBetween(column, other)
      return comparedBy === undefined
        ? column
        : { ...column, comparedBy, inPlaceOf: column.inPlaceOf ?? column }
    },
    server: { maxValues: 32_766, beginWrite: 'begin immediate' },
    shortcuts: {
      multiRowInserts: multiRowInserts(new Set()),
      keepsByCase: true,
      valuesTable: (columns) => valuesTable(columns.map(({ values }) => values)),
      keyList,
      equalsValue,
      sharesLookUps: true,
      textStyle: { quote: '"', placeholders: 'question marks' },
      // A count with conditions is a separate statement: that costs no round trip, and short pages do not need it.
      countsTablesInStatement: true,
      // SQLite plans a prepared statement again at each execution for the value of a plain parameter; the cast prevents that.
      limitValue: (count) => sql`cast(${count} as integer)`,
      replansForValue: (_, by) => by === 'pattern',
      writer: writerFor,
      keysIn: (lookUp, keys, rows) => keysIn(lookUp, keys.map(keySides), rows),
      updatesReadAnyTable: true,
      lookUpSingleWrites: sqliteSingleWrites,
    },

    async connect(db, tables = []) {
      await shortBusyTimeout(db)
      const warnings = await checkSqliteSettings(db)
      const stored = await sqliteStoredColumns(db, tables)
      const forms = await knownForms(db, tables)
      const dialect = sqliteWith(forms)
      const shortcuts = {
        ...dialect.shortcuts,
        objectText: sqliteObjectText(stored),
        multiRowInserts: multiRowInserts(await columnsWithoutDefault(db, tables)),
      }
      const { advice, foundByIndex } = await sqliteSearchIndexes(db, tables)
      const server = {
        ...dialect.server,
        advice: [...warnings, ...forms.mixed.map(adviceOf), ...advice],
      }
      const keysOfView = await keysOfViews(db, tables)
      const connected = { ...dialect, server, shortcuts, foundByIndex, keysOfView }
      return withSamples(connected, await sampledColumns(db, tables), forms)
    },

    refuses(column) {
      if (!isScaled(column)) return undefined
      const { scale, precision = 15 } = column
      if (scale !== undefined && precision <= 15 && scale <= 15) return undefined
      return (
        'SQLite has no exact decimals: a decimal column needs a scale and at most 15 digits of precision there ' +
        "(it is then compared and summed as a scaled integer), or `storage: 'text'` (it is then kept as text, " +
        'without order, ranges and sums).'
      )
    },

    select,

    decoder: decoderFor,
    rowDecoder: sqliteRowDecoder,
    encode,
    comparand: (column, value) => sqliteComparand(column, encode(column, value)),

    compare,
    filter,
    keepsOtherForms: ({ type }) => sqliteTypes[type].keepsOtherForms,
    oneOf,

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      // Whether the column's own collation decides.
      const usesOwnCollation = column.collation === 'database'
      if (match === 'startsWith' || text.decide((searched) => searched === '')) {
        const not = negated ? sql`not ` : sql``
        return usesOwnCollation && ignoreCase
          ? sql<SqlBool>`${ref} ${not}like ${text.map((searched) => likePattern(match, searched))} escape '!'`
          : sql<SqlBool>`${ref} ${not}glob ${text.map((searched) => globPattern(match, searched, ignoreCase))}`
      }
      // GLOB with a leading * tries the pattern at each position of the text, so it takes quadratic time.
      const wanted = ignoreCase
        ? inFold(text, usesOwnCollation)
        : { text, fold: (of: Ref): Ref => of }
      if (match === 'contains') {
        return sql<SqlBool>`instr(${wanted.fold(ref)}, ${wanted.text}) ${negated ? sql`= 0` : sql`> 0`}`
      }
      const end = sql`substr(${ref}, ${text.map((searched) => -lengthOf(searched))})`
      return plainCompare(wanted.fold(end), negated ? 'ne' : 'eq', wanted.text)
    },

    jsonValue: (_, ref, path) => sqliteJsonValue(ref, path),

    order: (column, ref, direction) => nullsOrderTerms(ordered(column, ref), direction, 'smallest'),

    sameKey: (column, ref, otherColumn, otherRef) =>
      sameKey({ column, ref, otherColumn, otherRef }),

    comparable: asComparable,

    orderKey: {
      select: (column, ref) => select({ ...column, comparable: true }, exactValue(column, ref)),
      read: readExact,
      compare: (column, ref, operator, value) =>
        plainCompare(exactValue(column, ref), operator, value),
    },

    aggregate: (fn, column) => aggregateOf(fn, column, { ordered, select }),

    bucket(unit, column, ref) {
      if (unit === 'year') return sql`cast(${firstOf(column, ref, 4)} as integer)`
      return firstOf(column, ref, unit === 'month' ? 7 : 10)
    },

    constraintColumns: sqliteConstraintColumns,
    classify: classifySqlite,
  }
}

function adviceOf([table, { name, type }]: KnownForms['mixed'][number]): string {
  const { usualForm } = sqliteTypes[type]
  return (
    `The indexed ${type} column "${name}" of ${table} stores its values in several forms: order and groups are right, but cannot use ` +
    `the index. Store them as the API does${usualForm === undefined ? '' : `, such as '${usualForm}'`}.`
  )
}

/**
 * SQLite merges EXISTS into the statement, for which it puts all conditions of the subquery into one chain, whatever their brackets. From 997
 * conditions on, that is deeper than the 1,000 levels of an expression. It does not merge NOT NOT EXISTS.
 */
const mostMerged = 256

/** `keysIn` of the shortcuts, with the values of `lookUp` that `related-look-up.ts` explains. IN compares under the collation of its left side, which `keySides` sets. */
function keysIn(lookUp: RelatedLookUp, keys: readonly KeySides[], rows: Ref): SqlTest | undefined {
  // IN reads all keys of the related rows; EXISTS is evaluated only for the rows of the page.
  return lookUp === 'each' || lookUp === 'unmerged' || lookUp === 'nested'
    ? undefined
    : inKeys(keys, rows)
}

/** Returns a case-folded text, and a function that folds a column for comparison with it. SQLite's `lower()` folds ASCII letters only. */
function inFold(
  text: Param<string>,
  usesOwnCollation: boolean,
): { text: Ref; fold: (of: Ref) => Ref } {
  if (usesOwnCollation) return { text: text.map(asciiLower), fold: (of) => sql`lower(${of})` }
  const all = text.share(folded)
  return {
    text: all.map(({ text: letters }) => letters),
    fold: (of) =>
      withReplaced(
        sql`lower(${of})`,
        all.map(({ forms }) => forms),
      ),
  }
}

/** Converts ASCII letters to lower case, as SQLite's `lower()` does. */
const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Numbers of nested `replace` calls; a search with fewer replacements is padded, so that searches of similar size have the same
 * SQL. Of the ASCII letters, only `k` and `s` need a replacement; most letters beyond ASCII need one.
 */
const nestedSizes = [4, 16]

/**
 * Returns `replace(replace(text, 'é', 'É'), '', '')`; replacing an empty text changes nothing. More replacements than the largest
 * size are made one after the other by a recursive query; SQLite accepts a few hundred of these queries in a statement.
 */
function withReplaced(text: Ref, forms: Param<Folded['forms']>): Ref {
  const size = forms.decide(({ length }) => nestedSizes.find((most) => length <= most) ?? 'any')
  if (size !== 'any') {
    return Array.from({ length: size }).reduce<Ref>((inner, _, i) => {
      const form = forms.map((all) => all[i]?.[0] ?? '')
      const by = forms.map((all) => all[i]?.[1] ?? '')
      return sql`replace(${inner}, ${form}, ${by})`
    }, text)
  }
  // i: the number of replacements made; x: the text so far; f: the pairs as JSON.
  const next = sql`replace(x, json_extract(f, '$[' || i || '][0]'), json_extract(f, '$[' || i || '][1]'))`
  const steps = sql`select 0, ${text}, ${forms.map((all) => JSON.stringify(all))} union all select i + 1, ${next}, f from fold where i < json_array_length(f)`
  return sql`(with recursive fold(i, x, f) as (${steps}) select x from fold where i = json_array_length(f))`
}

/**
 * If the statistics contain value samples, SQLite plans a prepared statement again for each bound value. Casts the values of columns
 * for which one plan is enough, because a cast hides the value from the planner.
 */
function withSamples(
  dialect: InternalDialect,
  { columns, rare }: Sampled,
  { narrow }: KnownForms,
): InternalDialect {
  /** Whether the values that the column is compared with are hidden by a cast. */
  const isHidden = (column: DialectColumn): boolean =>
    rare.has(column) &&
    sqliteTypes[column.type].castAs !== undefined &&
    (!sqliteTypes[column.type].ignoresCase || narrow.has(column))
  const hidden = (column: DialectColumn, value: Param<PlanValue>): readonly Fragment[] =>
    (sqliteTypes[column.type].ignoresCase ? bothSpellings(value) : [value]).map(
      (spelling) =>
        sql`cast(${bindOperand(column, spelling)} as ${sqliteTypes[column.type].castAs})`,
    )
  return {
    ...dialect,
    shortcuts: {
      ...dialect.shortcuts,
      replansForValue: (column, by) =>
        by === 'pattern' ||
        // Decimals are compared as expressions, and a bigint is bound by a cast in any case.
        (columns.has(column) &&
          sqliteTypes[column.type].planned[by] &&
          !(by === 'equality' && isHidden(column))),
    },
    compare: (column, ref, operator, value) =>
      operator === 'eq' && isHidden(column)
        ? equalsOne(operand(column, ref), hidden(column, value))
        : dialect.compare(column, ref, operator, value),
    filter: (column, ref, operator, value) =>
      operator === 'eq' && isHidden(column)
        ? equalsOne(operand(column, ref), hidden(column, value))
        : (dialect.filter ?? dialect.compare)(column, ref, operator, value),
    oneOf: (column, ref, values, negated) =>
      isHidden(column) && hasSeparateParameters(values)
        ? inList(
            operand(column, ref),
            paddedItems(values).flatMap((value) => hidden(column, value)),
            negated,
          )
        : dialect.oneOf(column, ref, values, negated),
  }
}

const equalsOne = (ref: Ref, values: readonly Fragment[]): SqlTest =>
  values.length === 1 ? plainCompare(ref, 'eq', values[0]) : inList(ref, values)

function select(column: DialectColumn, ref: Ref): Ref {
  if (isScaled(column)) return asComparable(column, ref)
  return sqliteTypes[column.type].select(ref)
}

function decoderFor(column: DialectColumn): Decoder {
  return storedDecoder(column, isScaled(column))
}

function writerFor(column: DialectColumn, decode: Decoder): JsonWriter {
  if (!isScaled(column)) return sqliteTypes[column.type].write(column, decode)
  const scale = column.scale ?? 0
  const unit = 10 ** scale
  // The common case: a non-negative number of units that is a safe integer in JavaScript.
  return writerOfTexts((raw) => {
    if (!Number.isSafeInteger(raw) || (raw as number) < 0) return undefined
    const units = raw as number
    if (scale === 0) return String(units)
    const rest = units % unit
    return `${(units - rest) / unit}.${String(unit + rest).slice(1)}`
  }, writerOfDecoder(decode))
}
