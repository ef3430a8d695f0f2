// postgresTypes: the SQL of each column type on PostgreSQL, and the formats of its values. `postgres-dialect.ts` looks the type of a column
// up here.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { ColumnType } from '../../../model/column.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { SpecialValues } from '../../../model/type-definition.ts'
import type { PlanValue } from '../../dialect.ts'
import { arrayLiteral } from '../../shared/json/list-text.ts'
import {
  canonicalInstant,
  cutMoment,
  jsonText,
  type Ref,
  storedBytes,
} from '../../shared/sql/sql-parts.ts'
import { byteaDecoder } from '../../shared/values/bytea.ts'
import { specialNumber } from '../../shared/values/decimal.ts'
import { type Decoder, decoderOf } from '../../shared/values/decode.ts'
import type { DeclaredType, PostgresFacts } from '../postgres-column-facts.ts'
import { datetimeSpan, type MomentSpan, timeSpan } from './moment-spans.ts'
import { infinityOf, specialMoments, unusualYearText } from './moments.ts'

/** A column type on PostgreSQL. No member is optional, so that a new type decides each of them. */
export interface PostgresType {
  /** Returns the expression to select. Here and below, `declared` is undefined if the catalogue does not have the column. */
  readonly select: (ref: Ref, declared: DeclaredType | undefined) => Ref
  readonly decoder: (column: DialectColumn) => Decoder
  /** Converts a value other than null to the one that is stored. */
  readonly encode: (value: unknown, column: DialectColumn, facts: PostgresFacts) => unknown
  /** Converts an item of a list to the format that PostgreSQL reads. */
  readonly encodeItem: (item: unknown) => unknown
  /** Converts a value of a comparison to the bound one: text if numbers of JavaScript or of the driver could lose digits. */
  readonly bind: (value: PlanValue) => unknown
  /**
   * The cast of a bound value to a type that holds every value, so that one outside the range of the column causes no error, and a
   * fraction stays exact. `areInt4` tells whether the column and all values are 32-bit integers. Undefined: PostgreSQL gives the value the
   * type of the column, which may be uuid, an enum, date or text.
   */
  readonly cast: (column: DialectColumn, areInt4: () => boolean) => Fragment | undefined
  /** Whether an array of bound values has the type of the cast, and not the declared one. */
  readonly castsArrays: boolean
  /** How values are compared that stand for a range of stored ones; false if they are compared one by one. */
  readonly span: MomentSpan | false
  /** Returns the expression that is equal for all values with the same JSON; false if it is that of ORDER BY. */
  readonly comparable: ((ref: Ref) => Ref) | false
  /** Whether the type sorts by code point without a collation, although its values may be stored as text. */
  readonly sortsByCodePoint: boolean
  /** Whether the text is that of a URL, without percent-encoding. */
  readonly isPlainInPath: boolean
  /** The catalogue names of types whose values are equal exactly if their texts are, unless the collation says otherwise. */
  readonly textTypes: readonly string[]
  /** The values that are not of the usual form, as PostgreSQL prints them; undefined if there are none. */
  readonly special: (column: DialectColumn) => SpecialValues | undefined
  /** Whether values may have no JSON number or none that clients can send: NaN and infinities. */
  readonly hasNaN: boolean
  /** Whether a column may contain values that are not of its type. */
  readonly keepsOtherForms: boolean
  /** Builds the JSON of a value; undefined if the declared type is not known to give the service's bytes. */
  readonly json: (
    ref: Ref,
    column: DialectColumn,
    declared: DeclaredType | undefined,
  ) => Ref | undefined
  /**
   * The type of the items of an array of keys (`postgresNumberedKeys`); undefined if the column has another collation or type than items
   * can have.
   */
  readonly key: (declared: DeclaredType | undefined) => KeyType | undefined
}

/** How keys of one column are bound as an array. */
export interface KeyType {
  /** The type of the array's items. */
  readonly bound: Fragment
  /** The cast of an item to the type and collation of the column. */
  readonly cast: Fragment
}

const asIs = (ref: Ref): Ref => ref
const asText = (ref: Ref): Ref => sql`${ref}::text`
const none = (): undefined => undefined
const sameItem = (item: unknown): unknown => item

const other: PostgresType = {
  select: asText,
  decoder: decoderOf,
  encode: (value) => value,
  encodeItem: sameItem,
  bind: (value) => value,
  cast: none,
  castsArrays: false,
  span: false,
  comparable: false,
  sortsByCodePoint: false,
  isPlainInPath: false,
  textTypes: ['text', 'varchar'],
  special: none,
  hasNaN: false,
  keepsOtherForms: false,
  json: none,
  key: none,
}

const isInt = (declared: DeclaredType | undefined, ...names: readonly string[]): boolean =>
  names.includes(declared?.name ?? '')

const wholeCast = (_: DialectColumn, areInt4: () => boolean): Fragment =>
  // Comparing with a value of the column's own type costs less than with a wider one.
  areInt4() ? sql`::int4` : sql`::bigint`

const wholeKey = (): KeyType => ({ bound: sql`bigint`, cast: sql`` })

const bindText = (value: PlanValue): unknown => String(value)

function textKey(declared: DeclaredType | undefined): KeyType | undefined {
  if (declared === undefined) return undefined
  const collated = declared.collation === undefined ? sql`` : sql` collate ${declared.collation}`
  switch (declared.name) {
    case 'text':
    case 'varchar':
      return { bound: sql`text`, cast: collated }
    case 'uuid':
      return { bound: sql`uuid`, cast: sql`` }
    case 'bpchar':
    case 'citext':
      return { bound: sql`text`, cast: sql`::${sql.id(declared.name)}${collated}` }
    default:
      return undefined
  }
}

const text: PostgresType = {
  ...other,
  json: (ref, _, declared) => declared && asText(ref),
  key: textKey,
}

const encodeDate = (value: unknown): unknown => unusualYearText(String(value)) ?? value

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
const specialDates = specialMoments('date')
const specialDatetimes = specialMoments('datetime')

export const postgresTypes: Readonly<Record<ColumnType, PostgresType>> = {
  integer: {
    ...other,
    select: asIs,
    cast: wholeCast,
    castsArrays: true,
    json: (ref, _, declared) => (isInt(declared, 'int2', 'int4') ? ref : undefined),
    key: wholeKey,
  },
  bigint: {
    ...other,
    encode: (value) => String(value),
    bind: bindText,
    cast: wholeCast,
    castsArrays: true,
    json: (ref, _, declared) => (isInt(declared, 'int2', 'int4', 'int8') ? asText(ref) : undefined),
    key: wholeKey,
  },
  float: {
    ...other,
    select: asIs,
    // A fraction cannot take the integer type of the sum that it is compared with.
    cast: ({ aggregate }) => (aggregate === undefined ? undefined : sql`::numeric`),
    hasNaN: true,
  },
  decimal: {
    ...other,
    encode: (value) => String(value),
    bind: bindText,
    cast: () => sql`::numeric`,
    castsArrays: true,
    // A numeric with a declared precision cannot be infinite.
    special: ({ precision }) => (precision === undefined ? numbers : onlyNaN),
    hasNaN: true,
    json: (ref, { scale }, declared) =>
      declared?.name === 'numeric' && declared.scale === scale && scale !== undefined
        ? asText(ref)
        : undefined,
    key: () => ({ bound: sql`numeric`, cast: sql`` }),
  },
  boolean: {
    ...other,
    select: asIs,
    json: (ref, _, declared) => (declared?.name === 'bool' ? ref : undefined),
    key: () => ({ bound: sql`boolean`, cast: sql`` }),
  },
  string: text,
  text,
  enum: text,
  uuid: {
    ...text,
    comparable: (ref) => sql`${ref}::text collate "C"`,
    sortsByCodePoint: true,
    isPlainInPath: true,
    textTypes: ['uuid'],
  },
  date: {
    ...other,
    encode: encodeDate,
    encodeItem: encodeDate,
    bind: encodeDate,
    special: () => specialDates,
    json: (ref, _, declared) =>
      declared?.name === 'date'
        ? within(ref, sql`to_char(${ref}, 'YYYY-MM-DD')`, sql`'9999-12-31'`)
        : undefined,
    key: () => ({ bound: sql`date`, cast: sql`` }),
  },
  datetime: {
    ...other,
    encode(value, column, facts) {
      const cut =
        typeof value === 'string' ? cutMoment(value, facts.declared(column)?.held.digits) : value
      return infinityOf(String(cut)) ?? unusualYearText(String(cut)) ?? canonicalInstant(cut)
    },
    encodeItem: encodeDate,
    span: datetimeSpan,
    comparable: datetimeSpan.shown,
    special: () => specialDatetimes,
    json: (ref, _, declared) => declared && momentJson(declared.name, ref),
  },
  time: {
    ...other,
    span: timeSpan,
    comparable: timeSpan.shown,
    special: () => endOfDay,
    keepsOtherForms: true,
    json: (ref, _, declared) =>
      declared?.name === 'time' || declared?.name === 'timetz'
        ? sql`left(${ref}::text, 8)`
        : undefined,
  },
  json: {
    ...other,
    // postgres.js would write the text as a JSON string if the server asked for a parameter of type json.
    encode: (value) => sql`${jsonText(value)}::text::json`,
    comparable: asText,
  },
  binary: {
    ...other,
    select: asIs,
    decoder: (column) => byteaDecoder(decoderOf(column)),
    encode: storedBytes,
  },
  list: {
    ...other,
    // Cast to text, items have the same format as selected columns of their type.
    select: (ref) => sql`array_to_json(${ref}::text[])::text`,
    encode: (value, column) =>
      Array.isArray(value) ? arrayLiteral(itemsOf(column, value)) : value,
  },
  opaque: {
    ...other,
    /** The text of a value that the service does not interpret. */
    select: (ref, declared) =>
      declared?.geometry === undefined
        ? asText(ref)
        : sql`${sql.id(declared.geometry, 'st_astext')}(${ref})`,
  },
}

/** Converts the items of a list, also of one of several dimensions. */
function itemsOf(column: DialectColumn, list: readonly unknown[]): readonly unknown[] {
  const { encodeItem } = postgresTypes[column.items ?? 'text']
  if (encodeItem === sameItem) return list
  return list.map((item) => (Array.isArray(item) ? itemsOf(column, item) : encodeItem(item)))
}

function momentJson(type: string, ref: Ref): Fragment | undefined {
  if (type !== 'timestamp' && type !== 'timestamptz') return undefined
  const utc = type === 'timestamp' ? ref : sql`(${ref} at time zone 'UTC')`
  const form = sql`to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return within(utc, form, sql`'9999-12-31 23:59:59.999999'`)
}

/** Replaces a value whose JSON the service must build itself: `hasNoMark` finds it in the JSON, and the list is read again. */
const unfit = sql`chr(1) || '?'`

/** Writes dates of the years 1 to 9999, and leaves other years and infinities to the service. */
const within = (ref: Ref, form: Fragment, last: Fragment): Fragment =>
  sql`case when ${ref} between '0001-01-01' and ${last} then ${form} when ${ref} is not null then ${unfit} end`
