// SQLite: compares text by bytes, decimals as integers in units of their scale, and datetimes as UTC text; folds case by replacing letters.

import type { SqlBool } from 'kysely'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import type { InternalDialect } from '../internal-dialect.ts'
import type { LookUp } from '../related-look-up.ts'
import { type JsonWriter, writerOfDecoder, writerOfTexts } from '../shared/json/json-writer.ts'
import { type Folded, folded } from '../shared/sql/fold.ts'
import { globPattern, lengthOf, likePattern } from '../shared/sql/patterns.ts'
import {
  canonicalInstant,
  encodeCommon,
  inKeys,
  inList,
  type KeySides,
  orderTerms,
  paddedItems,
  plainCompare,
  type Ref,
  type Test,
} from '../shared/sql/sql-parts.ts'
import { valuesTable } from '../shared/sql/values-table.ts'
import { blankForm } from '../shared/values/calendar-text.ts'
import { decimalDigits } from '../shared/values/decimal.ts'
import type { Decoder } from '../shared/values/decode.ts'
import { aggregateOf } from './aggregates.ts'
import { shortBusyTimeout } from './busy-timeout.ts'
import { bothSpellings, comparisonsOf, isShort } from './comparisons.ts'
import { sqliteConstraintColumns } from './constraint-columns.ts'
import { classifySqlite } from './errors.ts'
import { sqliteObjectText } from './json.ts'
import { jsonValue } from './json-path.ts'
import { numberedKeys } from './numbered-keys.ts'
import { asComparable, bigintOf, bind, isScaled, operand } from './operand.ts'
import { exactValue, readExact } from './order-key.ts'
import { sqliteSearchIndexes } from './search-index.ts'
import { checkSqliteSettings } from './session-settings.ts'
import { type KnownForms, knownForms, nothingKnown } from './stored/canonical-columns.ts'
import { columnsWithoutDefault, multiRowInserts } from './stored/column-defaults.ts'
import { type Sampled, sampledColumns } from './stored/samples.ts'
import { keysOfViews } from './stored/sqlite-views.ts'
import { storedColumns } from './stored/stored-columns.ts'
import { firstOf } from './stored/stored-forms.ts'
import { storedDecoder, storedWriter } from './stored/stored-values.ts'
import { sqliteSingleWrites } from './writes.ts'

export const sqlite: InternalDialect = sqliteWith(nothingKnown)

/** Creates the dialect; `known` says in which formats indexed columns store their values. */
function sqliteWith(known: KnownForms): InternalDialect {
  const { compare, filter, oneOf, keyList, ordered, sameKey, equalsValue, keySides } =
    comparisonsOf(known)
  return {
    name: 'sqlite',
    capabilities: {
      locksRows: false,
      blocksEventLoop: true,
      createsTablesInTransactions: true,
    },
    storeTypes: { datetime: 'text', digest: 'text', text: 'text', boolean: 'integer' },
    numberedKeys,
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
      const stored = await storedColumns(db, tables)
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
      if (column.type !== 'decimal' || column.storage === 'text') return undefined
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
    encode(column, value) {
      const encoded = encode(column, value)
      const inForm = known.written.get(column)
      return inForm !== undefined && typeof encoded === 'string' ? inForm(encoded) : encoded
    },

    compare,
    filter,
    keepsOtherForms: ({ type }) => type !== 'string' && type !== 'text' && type !== 'json',
    oneOf,

    textMatch(column, ref, { match, text, ignoreCase, negated }) {
      const own = column.collation === 'database'
      if (match === 'startsWith' || text.decide((given) => given === '')) {
        const not = negated ? sql`not ` : sql``
        return own && ignoreCase
          ? sql<SqlBool>`${ref} ${not}like ${text.map((given) => likePattern(match, given))} escape '!'`
          : sql<SqlBool>`${ref} ${not}glob ${text.map((given) => globPattern(match, given, ignoreCase))}`
      }
      // GLOB with a leading * tries the pattern at each position of the text, so it takes quadratic time.
      const wanted = ignoreCase ? inFold(text, own) : { text, fold: (of: Ref): Ref => of }
      if (match === 'contains') {
        return sql<SqlBool>`instr(${wanted.fold(ref)}, ${wanted.text}) ${negated ? sql`= 0` : sql`> 0`}`
      }
      const end = sql`substr(${ref}, ${text.map((given) => -lengthOf(given))})`
      return plainCompare(wanted.fold(end), negated ? 'ne' : 'eq', wanted.text)
    },

    jsonValue: (_, ref, path) => jsonValue(ref, path),

    order: (column, ref, direction) => orderTerms(ordered(column, ref), direction, 'smallest'),

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

const adviceOf = ([table, { name, type }]: KnownForms['mixed'][number]): string =>
  `The indexed ${type} column "${name}" of ${table} stores its values in several forms: order and groups are right, but cannot use ` +
  `the index. Store them as the API does${type in usualForms ? `, such as '${usualForms[type as keyof typeof usualForms]}'` : ''}.`

const usualForms = {
  datetime: '2024-05-14 10:30:00.000',
  date: '2024-05-14',
  time: '10:30:00',
  boolean: '1',
  uuid: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
} as const

/** Tests whether a row's key is among the keys of `rows`. IN compares under the collation of its left side, which `keySides` sets. */
function keysIn(lookUp: LookUp, keys: readonly KeySides[], rows: Ref): Test | undefined {
  // IN reads all keys of the related rows; EXISTS is evaluated only for the rows of the page.
  return lookUp === 'each' || lookUp === 'unmerged' || lookUp === 'nested'
    ? undefined
    : inKeys(keys, rows)
}

/** Returns a case-folded text, and a function that folds a column for comparison with it. SQLite's `lower()` folds ASCII letters only. */
function inFold(text: Param<string>, own: boolean): { text: Ref; fold: (of: Ref) => Ref } {
  if (own) return { text: text.map(asciiLower), fold: (of) => sql`lower(${of})` }
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
  const next = sql`replace(x, json_extract(f, '$[' || i || '][0]'), json_extract(f, '$[' || i || '][1]'))`
  const steps = sql`select 0, ${text}, ${forms.map((all) => JSON.stringify(all))} union all select i + 1, ${next}, f from fold where i < json_array_length(f)`
  return sql`(with recursive fold(i, x, f) as (${steps}) select x from fold where i = json_array_length(f))`
}

/** For each type, the SQL type to which its values can be cast without a change. */
const typeNames: Readonly<Partial<Record<DialectColumn['type'], Fragment>>> = {
  integer: sql`integer`,
  string: sql`text`,
  text: sql`text`,
  enum: sql`text`,
  uuid: sql`text`,
}

/**
 * If the statistics contain value samples, SQLite plans a prepared statement again for each bound value. Casts the values of columns
 * for which one plan is enough, because a cast hides the value from the planner.
 */
function withSamples(
  dialect: InternalDialect,
  { columns, even }: Sampled,
  { narrow }: KnownForms,
): InternalDialect {
  const isHidden = (column: DialectColumn): boolean =>
    even.has(column) &&
    typeNames[column.type] !== undefined &&
    (column.type !== 'uuid' || narrow.has(column))
  const hidden = (column: DialectColumn, value: Param<PlanValue>): readonly Fragment[] =>
    (column.type === 'uuid' ? bothSpellings(value) : [value]).map(
      (one) => sql`cast(${bind(column, one)} as ${typeNames[column.type]})`,
    )
  return {
    ...dialect,
    shortcuts: {
      ...dialect.shortcuts,
      replansForValue: (column, by) =>
        by === 'pattern' ||
        // Decimals are compared as expressions, and a bigint is bound by a cast in any case.
        (columns.has(column) &&
          column.type !== 'decimal' &&
          !(by === 'equality' && (isHidden(column) || column.type === 'bigint'))),
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
      isHidden(column) && isShort(values)
        ? inList(
            operand(column, ref),
            paddedItems(values).flatMap((value) => hidden(column, value)),
            negated,
          )
        : dialect.oneOf(column, ref, values, negated),
  }
}

const equalsOne = (ref: Ref, values: readonly Fragment[]): Test =>
  values.length === 1 ? plainCompare(ref, 'eq', values[0]) : inList(ref, values, false)

function select(column: DialectColumn, ref: Ref): Ref {
  if (isScaled(column)) return asComparable(column, ref)
  // A blob may not be valid text, so it is selected as a literal with its bytes in hexadecimal.
  if (column.type === 'opaque') {
    return sql`case typeof(${ref}) when 'blob' then quote(${ref}) else cast(${ref} as text) end`
  }
  return column.type === 'bigint' || column.type === 'decimal' ? sql`cast(${ref} as text)` : ref
}

function decoderFor(column: DialectColumn): Decoder {
  return storedDecoder(column, isScaled(column))
}

function writerFor(column: DialectColumn, decode: Decoder): JsonWriter {
  if (!isScaled(column)) return storedWriter(column, decode)
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

function encode(column: DialectColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null
  switch (column.type) {
    case 'boolean':
      return value ? 1 : 0
    case 'bigint':
      return bigintOf(String(value))
    case 'decimal':
      return decimalDigits(String(value), column.scale ?? 0) ?? String(value)
    case 'datetime':
      return blankForm(canonicalInstant(value))
    default:
      return encodeCommon(column, value)
  }
}
