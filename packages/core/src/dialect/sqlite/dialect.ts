// SQLite: text as stored, decimals as scaled integers, datetimes as UTC text, case folding by replacing letters.

import type { SqlBool } from 'kysely'
import { bytesOfBase64 } from '../../json/base64.ts'
import type { AggregateFunction } from '../../parse/operators.ts'
import type { LookUp } from '../../plan/plan.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import type { DialectColumn, PlanValue } from '../dialect.ts'
import type { InternalDialect, KeyPair } from '../internal-dialect.ts'
import { aggregateDecoderOf, type Total } from '../shared/aggregate-decode.ts'
import { blankForm, nextMillisecond, nextSecond } from '../shared/calendar-text.ts'
import { decimalDigits, scaled, unscaled } from '../shared/decimal.ts'
import { type Decoder, decoderOf, textOf } from '../shared/decode.ts'
import { type Folded, folded } from '../shared/fold.ts'
import { type JsonWriter, writerOf, writerOfDecoder, writerOfTexts } from '../shared/json-writer.ts'
import { globPattern, likePattern } from '../shared/patterns.ts'
import {
  type Comparison,
  canonicalInstant,
  eachOf,
  inKeys,
  inList,
  isText,
  jsonText,
  natural,
  padded,
  plainCompare,
  type Ref,
  rangeCompare,
  type Test,
} from '../shared/sql-parts.ts'
import { shortBusyTimeout } from './busy-timeout.ts'
import { classifySqlite } from './errors.ts'
import { sqliteObjectText } from './json.ts'
import { type Sampled, sampledColumns } from './samples.ts'
import { heldColumns } from './stored-columns.ts'
import { sqliteSingleWrites } from './writes.ts'

export const sqlite: InternalDialect = {
  name: 'sqlite',
  capabilities: {
    locksRows: false,
    blocksEventLoop: true,
    createsTablesInTransactions: true,
  },
  storeTypes: { datetime: 'text', digest: 'text', text: 'text', boolean: 'integer' },
  server: { beginWrite: 'begin immediate' },
  shortcuts: {
    textStyle: { quote: '"', placeholders: 'question marks' },
    // A separate count costs no round trip in SQLite, and is not needed if the page shows the total.
    countsTablesInStatement: true,
    // The planner reads the value of a plain parameter, and plans a prepared statement again at each execution.
    rowCount: (count) => sql`cast(${count} as integer)`,
    replansForValue: (_, by) => by === 'pattern',
    writer: writerFor,
    keysIn,
    lookUpSingleWrites: sqliteSingleWrites,
  },

  async connect(db, tables = []) {
    await shortBusyTimeout(db)
    const held = await heldColumns(db, tables)
    const shortcuts = { ...sqlite.shortcuts, objectText: sqliteObjectText(held) }
    return withSamples({ ...sqlite, shortcuts }, await sampledColumns(db, tables))
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
  encode,

  compare,

  oneOf(column, ref, values, negated) {
    if (column.type === 'datetime' || column.type === 'time') {
      if (values.length > mostRanges) {
        const texts = column.type === 'datetime' ? values.map(String).map(blankForm) : values
        return inJsonList(asComparable(column, ref), texts, negated)
      }
      const operator = negated ? 'ne' : 'eq'
      return eachOf(values, negated, (value) => compare(column, ref, operator, value))
    }
    const by = operand(column, ref)
    if (
      values.length > mostSingly &&
      (column.type === 'integer' || column.type === 'bigint' || isText(column))
    ) {
      return inJsonList(by, values, negated)
    }
    return inList(
      by,
      padded(values).map((value) => bind(column, value)),
      negated,
    )
  },

  textMatch(column, ref, { match, text, ignoreCase, negated }) {
    const own = column.collation === 'database'
    if (match === 'startsWith' || text === '') {
      const not = negated ? sql`not ` : sql``
      return own && ignoreCase
        ? sql<SqlBool>`${ref} ${not}like ${likePattern(match, text)} escape '!'`
        : sql<SqlBool>`${ref} ${not}glob ${globPattern(match, text, ignoreCase)}`
    }
    // GLOB with a leading * tries the pattern at each position of the text, so it takes quadratic time.
    const wanted = ignoreCase ? inFold(text, own) : { text, fold: (of: Ref): Ref => of }
    if (match === 'contains') {
      return sql<SqlBool>`instr(${wanted.fold(ref)}, ${wanted.text}) ${negated ? sql`= 0` : sql`> 0`}`
    }
    const end = sql`substr(${ref}, ${-Array.from(text).length})`
    return plainCompare(wanted.fold(end), negated ? 'ne' : 'eq', wanted.text)
  },

  order(column, ref, { descending, nulls, mayBeNull }) {
    const by = operand(column, ref)
    const direction = descending ? sql`desc` : sql`asc`
    // SQLite sorts NULL as the smallest value.
    const own = descending ? 'last' : 'first'
    if (!mayBeNull || nulls === own) return [sql`${by} ${direction}`]
    return [sql`${by} ${direction} ${nulls === 'first' ? sql`nulls first` : sql`nulls last`}`]
  },

  sameKey: (column, ref, _otherColumn, otherRef) =>
    sql<SqlBool>`${isText(column) ? operand(column, ref) : ref} = ${otherRef}`,

  comparable: asComparable,

  aggregate(fn, column) {
    const minMax = decoderFor({ ...column, comparable: true })
    return {
      select: (ref) => selectedAggregate(fn, column, ref),
      decode: aggregateDecoderOf(fn, column, (raw) => joined(raw, column), minMax),
      comparable: (ref) => comparableAggregate(fn, column, ref),
    }
  },

  bucket(unit, _column, ref) {
    if (unit === 'year') return sql`cast(substr(${ref}, 1, 4) as integer)`
    return unit === 'month' ? sql`substr(${ref}, 1, 7)` : sql`substr(${ref}, 1, 10)`
  },

  classify: classifySqlite,
}

/** Whether a row's key is among those of others; the collation is that of the left side. */
function keysIn(lookUp: LookUp, keys: readonly KeyPair[], rows: Ref): Test | undefined {
  // IN reads all keys of the related rows; EXISTS is evaluated only for the rows of the page.
  if (lookUp === 'each' || lookUp === 'unmerged' || lookUp === 'nested') return undefined
  const sides = keys.map(({ column, ref, otherRef }) => ({
    own: ref,
    other: isText(column) ? operand(column, otherRef) : otherRef,
  }))
  return inKeys(sides, rows)
}

function selectedAggregate(fn: AggregateFunction, column: DialectColumn, ref: Ref): Ref {
  if (fn === 'count') return sql`count(${ref})`
  if (fn === 'min' || fn === 'max') {
    return select({ ...column, comparable: true }, extreme(fn, column, ref))
  }
  if (column.type === 'float') {
    const real = sql`cast(${ref} as real)`
    return fn === 'sum' ? sql`sum(${real})` : sql`avg(${real})`
  }
  const whole = wholeNumber(column, ref)
  if (sumFits(column)) return sql`sum(${whole}) || '/' || count(${ref})`
  // Two halves, because a sum over 64 bits is an error; together they are exact.
  return sql`sum(${whole} >> 32) || '/' || sum(${whole} & 4294967295) || '/' || count(${ref})`
}

function comparableAggregate(fn: AggregateFunction, column: DialectColumn, ref: Ref): Ref {
  if (fn === 'count') return sql`count(${ref})`
  if (fn === 'min' || fn === 'max') return extreme(fn, column, ref)
  const whole = wholeNumber(column, ref)
  if (fn === 'sum')
    return column.type === 'float' ? rounded(sql`sum(${whole})`) : sql`sum(${whole})`
  if (column.type === 'float') return rounded(sql`avg(${whole})`)
  if (column.type === 'integer') return sql`(sum(${whole}) * 1.0 / count(${ref}))`
  // Units of four digits more than the column, rounded half up.
  return sql`(sign(sum(${whole})) * ((abs(sum(${whole})) * 20000 + count(${ref})) / (2 * count(${ref}))))`
}

function compare(column: DialectColumn, ref: Ref, operator: Comparison, value: PlanValue): Test {
  if (column.type === 'datetime') {
    const iso = String(value)
    return rangeCompare(ref, operator, bound(iso), bound(nextMillisecond(iso)))
  }
  if (column.type === 'time') {
    const time = String(value)
    return rangeCompare(ref, operator, trimmed(time), trimmed(nextSecond(time)))
  }
  return plainCompare(operand(column, ref), operator, bind(column, value))
}

/** A text without regard to case, and how others are made comparable with it; the database's own rules know the letters of ASCII alone. */
function inFold(text: string, own: boolean): { text: string; fold: (of: Ref) => Ref } {
  if (own) return { text: asciiLower(text), fold: (of) => sql`lower(${of})` }
  const { text: letters, forms } = folded(text)
  return { text: letters, fold: (of) => withReplaced(sql`lower(${of})`, forms) }
}

/** `lower()` of SQLite. */
const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** How many letters are replaced by nested calls, so that searches of a size have the same SQL; `k` and `s` have one form. */
const nestedSizes = [4, 16]

/**
 * `replace(replace(text, 'É', 'é'), '', '')`: replacing an empty text does nothing. More forms than the largest size are
 * replaced one after the other by a recursive query, of which SQLite takes some hundred in a statement.
 */
function withReplaced(text: Ref, forms: Folded['forms']): Ref {
  const size = nestedSizes.find((most) => forms.length <= most)
  if (size !== undefined) {
    return Array.from({ length: size }).reduce<Ref>((inner, _, i) => {
      const [form, by] = forms[i] ?? ['', '']
      return sql`replace(${inner}, ${form}, ${by})`
    }, text)
  }
  const next = sql`replace(x, json_extract(f, '$[' || i || '][0]'), json_extract(f, '$[' || i || '][1]'))`
  const steps = sql`select 0, ${text}, ${JSON.stringify(forms)} union all select i + 1, ${next}, f from fold where i < json_array_length(f)`
  return sql`(with recursive fold(i, x, f) as (${steps}) select x from fold where i = json_array_length(f))`
}

/** Longer lists are bound as one JSON array. */
const mostSingly = 8

/**
 * Most values of a list whose equality is a range, which an index on the column can serve. The planner takes time by the
 * square of the number of conditions: 8,000 of them took it seven seconds.
 */
const mostRanges = 100

/** Casts that leave the values of a type unchanged. */
const typeNames: Readonly<Partial<Record<DialectColumn['type'], Fragment>>> = {
  integer: sql`integer`,
  string: sql`text`,
  text: sql`text`,
  enum: sql`text`,
  uuid: sql`text`,
}

/** The dialect for a planner with value samples: casts hide values that need no plan of their own. */
function withSamples(dialect: InternalDialect, { columns, even }: Sampled): InternalDialect {
  const isHidden = (column: DialectColumn): boolean =>
    even.has(column) && typeNames[column.type] !== undefined
  const hidden = (column: DialectColumn, value: PlanValue): Fragment =>
    sql`cast(${bind(column, value)} as ${typeNames[column.type]})`
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
        ? plainCompare(operand(column, ref), operator, hidden(column, value))
        : dialect.compare(column, ref, operator, value),
    oneOf: (column, ref, values, negated) =>
      values.length <= mostSingly && isHidden(column)
        ? inList(
            operand(column, ref),
            padded(values).map((value) => hidden(column, value)),
            negated,
          )
        : dialect.oneOf(column, ref, values, negated),
  }
}

/** Decimals of at most 15 digits, stored as the number or text that the column's affinity made of them. */
function isScaled(column: DialectColumn): boolean {
  return column.type === 'decimal' && column.storage !== 'text'
}

function asComparable(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) {
    return sql`cast(round(${ref} * ${natural(10 ** (column.scale ?? 0))}) as integer)`
  }
  if (column.type === 'datetime') {
    const text = sql`replace(replace(${ref}, 'T', ' '), 'Z', '')`
    return sql`substr(${text} || case when length(${text}) < 20 then '.000' else '000' end, 1, 23)`
  }
  if (column.type === 'time') return sql`substr(${ref}, 1, 8)`
  return operand(column, ref)
}

function select(column: DialectColumn, ref: Ref): Ref {
  if (isScaled(column)) return asComparable(column, ref)
  return column.type === 'bigint' || column.type === 'decimal' ? sql`cast(${ref} as text)` : ref
}

/** What a column is compared and ordered by. A text column may have been declared with another collation. */
function operand(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) return asComparable(column, ref)
  return isText(column) && column.collation !== 'database' ? sql`${ref} collate binary` : ref
}

function bind(column: DialectColumn, value: PlanValue): unknown {
  switch (column.type) {
    case 'boolean':
      return value ? 1 : 0
    case 'bigint':
      return bigintOf(value)
    case 'decimal':
      if (column.storage === 'text') return decimalDigits(String(value), column.scale ?? 0)
      return sql`cast(${String(scaled(String(value), column.scale ?? 0))} as integer)`
    default:
      return value
  }
}

/** Bound as text, because not every driver binds a BigInt: D1 has none. */
const bigintOf = (value: unknown): Fragment => sql`cast(${String(value)} as integer)`

function inJsonList(ref: Ref, values: readonly PlanValue[], negated: boolean): Test {
  const not = negated ? sql`not ` : sql``
  return sql<SqlBool>`${ref} ${not}in (select value from json_each(${jsonList(values)}))`
}

/** One bound value for a list of any length; whole numbers of 64 bits are exact in JSON here. */
function jsonList(values: readonly PlanValue[]): string {
  return `[${values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value)).join()}]`
}

/** A datetime as a bound for comparisons with stored texts. */
function bound(iso: string): string {
  // The text order ends with the year 9999; no stored datetime has second 60.
  return iso.startsWith('10000') ? '9999-12-31 23:59:60' : trimmed(blankForm(iso))
}

/** Without a zero fraction, so that `10:00:00`, `10:00:00.0` and `10:00:00.000` all stand at or after it. */
function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function decoderFor(column: DialectColumn): Decoder {
  if (!isScaled(column)) return decoderOf(column)
  const scale = column.scale ?? 0
  return (raw) => (raw === null || raw === undefined ? null : unscaled(BigInt(textOf(raw)), scale))
}

function writerFor(column: DialectColumn, decode: Decoder): JsonWriter {
  if (!isScaled(column)) return writerOf(column, decode)
  const scale = column.scale ?? 0
  const unit = 10 ** scale
  // Most are whole numbers of units that JavaScript holds, and not negative.
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
      return bigintOf(value)
    case 'decimal':
      return decimalDigits(String(value), column.scale ?? 0) ?? String(value)
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

function extreme(fn: 'min' | 'max', column: DialectColumn, ref: Ref): Fragment {
  // A stored datetime orders as it is, and an index on it can serve.
  const of = column.type === 'datetime' || column.type === 'time' ? ref : asComparable(column, ref)
  return fn === 'min' ? sql`min(${of})` : sql`max(${of})`
}

function wholeNumber(column: DialectColumn, ref: Ref): Ref {
  if (column.type === 'float') return sql`cast(${ref} as real)`
  return isScaled(column) ? asComparable(column, ref) : sql`cast(${ref} as integer)`
}

/** The sum of floats depends on the order of its terms beyond twelve digits. */
function rounded(value: Ref): Fragment {
  return sql`case when ${value} is not null then cast(printf('%.12g', ${value}) as real) end`
}

/** Whether it takes more rows than a table has until the sum of the column's values leaves 64 bits. */
const sumFits = ({ type, precision = Number.POSITIVE_INFINITY }: DialectColumn): boolean =>
  type === 'decimal' && precision <= 9

/** As a number where that is exact. */
const wholeOf = (digits: string): number | bigint =>
  digits.length <= 15 ? Number(digits) : BigInt(digits)

/** `sum/count`, or `high/low/count`, where the sum is high · 2^32 + low. */
function joined(raw: unknown, column: DialectColumn): Total {
  const parts = textOf(raw).split('/')
  const [first = '0', low = '0'] = parts
  const count = parts.at(-1) ?? '1'
  const sum = parts.length === 2 ? wholeOf(first) : (BigInt(first) << 32n) + BigInt(low)
  return { sum: isScaled(column) ? unscaled(sum, column.scale ?? 0) : String(sum), count }
}
