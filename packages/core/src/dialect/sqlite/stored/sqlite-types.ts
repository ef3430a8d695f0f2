// sqliteTypes: the column types on SQLite, which does not enforce them: the formats in which each is stored, and its SQL.
// `comparisons.ts` and other files of the dialect look the type of a column up here, or convert its values by the functions at the end.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { ColumnType } from '../../../model/column.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { PlanValue } from '../../dialect.ts'
import { type JsonWriter, writerOf } from '../../shared/json/json-writer.ts'
import type { TextPiece } from '../../shared/json/object-text.ts'
import {
  canonicalInstant,
  jsonText,
  natural,
  type Ref,
  storedBytes,
} from '../../shared/sql/sql-parts.ts'
import { blankForm } from '../../shared/values/calendar-text.ts'
import { decimalDigits, decimalUnits } from '../../shared/values/decimal.ts'
import { type Decoder, decoderOf, textOf } from '../../shared/values/decode.ts'
import {
  bigintPiece,
  booleanPiece,
  datePiece,
  datetimePiece,
  decimalPiece,
  integerPiece,
  pathForms,
  textPiece,
  timePiece,
  uuidPiece,
} from './json-pieces.ts'
import {
  exactDate,
  exactDatetimeForm,
  exactTimeForm,
  lowerUuidSql,
  servedDatetime,
  servedTime,
  truth,
} from './stored-forms.ts'
import {
  readBigint,
  readBoolean,
  readDate,
  readDatetime,
  readDecimal,
  readNumber,
  readTime,
  readUuid,
  writeDatetime,
  writeNumber,
  writeUuid,
} from './stored-values.ts'

/** A column type on SQLite. No member is optional, so that a new type decides each of them. */
export interface SqliteType {
  /**
   * Which calendar text the values are; false for other types. It may be stored in several formats, so that a value stands for a range of
   * stored ones.
   */
  readonly calendar: 'date' | 'datetime' | 'time' | false
  /**
   * Converts a stored value of any format to the one for order and cursors; false if the type has one format. A value that is not of
   * the type is unchanged; SQLite sorts numbers before text, and text before blobs.
   */
  readonly exact: ((ref: Ref) => Ref) | false
  /** Converts a stored value to the precision of responses, for groups; false if that is `exact`. */
  readonly served: ((ref: Ref) => Ref) | false
  /** The number of the format of a stored value, among those of `shape` in `canonical-columns.ts`. */
  readonly shape: (ref: Ref, exact: unknown) => Fragment
  /** A value as the service stores it, for advice about columns with several formats; undefined for types with one format. */
  readonly usualForm: string | undefined
  /** Whether comparisons convert a number to an integer in units of 10^-scale. */
  readonly isScaled: boolean
  /** Whether the letter case of stored texts does not matter, and responses show them in lower case. */
  readonly ignoresCase: boolean
  /** Returns the expression to select. */
  readonly select: (ref: Ref) => Ref
  /** Reads a stored value; undefined if it is not of the type. `isScaled`: the selected value is an integer in units of 10^-scale. */
  readonly read: (
    column: DialectColumn,
    isScaled: boolean,
  ) => (raw: unknown) => JsonValue | undefined
  /** Writes the JSON of a stored value, equal to that of the value that `decode` returns. */
  readonly write: (column: DialectColumn, decode: Decoder) => JsonWriter
  /** Writes the selected sort key as cursors contain it; undefined if it may not be of the type. */
  readonly cursorText: (raw: unknown, decode: Decoder) => string | undefined
  /** Binds a value of a comparison. */
  readonly bind: (value: Param<PlanValue>, column: DialectColumn) => Ref
  /** Converts a value other than null to the one that is stored. */
  readonly encode: (value: unknown, column: DialectColumn) => unknown
  /** Whether a long list is bound as one JSON array. */
  readonly isJsonItem: boolean
  /** Whether the keys of a list are bound as one JSON array. */
  readonly isJsonKey: boolean
  /** Whether JSON has the values as they are stored, so that a table of keys can be read from it. */
  readonly isStoredAsJson: boolean
  /** Whether an index of a text column finds values of a table of bound values by equality. */
  readonly isTextKey: boolean
  /** The SQL type to which bound values can be cast without a change, which hides them from the planner; undefined if there is none. */
  readonly castAs: Fragment | undefined
  /** Whether the planner sees bound values: not those of expressions, and not those that a cast hides. */
  readonly planned: { readonly equality: boolean; readonly range: boolean }
  /** Whether a column may contain values that are not of the type, and cannot be compared with its values. */
  readonly keepsOtherForms: boolean
  /**
   * Writes a stored value as JSON; undefined if that may differ from the service's JSON. A value in another format than the usual must
   * give text that fails the test of `form`, never text that passes it and differs from the decoded value.
   */
  readonly json: (ref: Ref, column: DialectColumn) => TextPiece | undefined
  /** A regular expression for the texts of keys that URLs contain unchanged; undefined if there are none. */
  readonly pathForm: string | undefined
}

const none = (): undefined => undefined
const asIs = (ref: Ref): Ref => ref
const asText = (ref: Ref): Ref => sql`cast(${ref} as text)`

/** 1 for the service's own format, 6 for another one (`shape` in `canonical-columns.ts`). */
const oneShape: SqliteType['shape'] = (ref, exact) =>
  sql`case when ${ref} = ${exact} and typeof(${ref}) = typeof(${exact}) then 1 else 6 end`

const other: SqliteType = {
  calendar: false,
  exact: false,
  served: false,
  shape: oneShape,
  usualForm: undefined,
  isScaled: false,
  ignoresCase: false,
  select: asIs,
  read: (column) => decoderOf(column),
  write: writerOf,
  cursorText: (raw, decode) => String(decode(raw)),
  bind: (value) => value,
  encode: (value) => value,
  isJsonItem: false,
  isJsonKey: false,
  isStoredAsJson: false,
  isTextKey: false,
  castAs: undefined,
  planned: { equality: true, range: true },
  keepsOtherForms: true,
  json: none,
  pathForm: undefined,
}

const number: SqliteType = {
  ...other,
  read: readNumber,
  write: writeNumber,
  // SQLite sorts a text after all numbers, even if it looks like one.
  cursorText: (raw, decode) => (typeof raw === 'string' ? undefined : String(decode(raw))),
}

const text: SqliteType = {
  ...other,
  // SQLite sorts a number before all texts.
  cursorText: (raw) => (typeof raw === 'string' ? raw : undefined),
  isJsonItem: true,
  isJsonKey: true,
  isStoredAsJson: true,
  isTextKey: true,
  castAs: sql`text`,
  keepsOtherForms: false,
  json: textPiece,
  pathForm: pathForms.plain,
}

/** Binds a bigint as text, because not every driver accepts a BigInt; D1 does not. */
const bigintOf = (text: string | Param<string>): Fragment => sql`cast(${text} as integer)`

export const sqliteTypes: Readonly<Record<ColumnType, SqliteType>> = {
  integer: {
    ...number,
    isJsonItem: true,
    isJsonKey: true,
    isStoredAsJson: true,
    castAs: sql`integer`,
    json: integerPiece,
    pathForm: pathForms.integer,
  },
  bigint: {
    ...other,
    select: asText,
    read: readBigint,
    bind: (value) => bigintOf(value.map(String)),
    encode: (value) => bigintOf(String(value)),
    isJsonItem: true,
    isJsonKey: true,
    isStoredAsJson: true,
    planned: { equality: false, range: true },
    json: bigintPiece,
    pathForm: pathForms.bigint,
  },
  float: number,
  decimal: {
    ...other,
    isScaled: true,
    select: asText,
    read: readDecimal,
    bind: (value, { storage, scale = 0 }) =>
      storage === 'text'
        ? value.map((digits) => decimalDigits(String(digits), scale))
        : bigintOf(value.map((digits) => String(decimalUnits(String(digits), scale)))),
    encode: (value, { scale = 0 }) => decimalDigits(String(value), scale) ?? String(value),
    planned: { equality: false, range: false },
    json: decimalPiece,
  },
  boolean: {
    ...other,
    exact: truth,
    usualForm: '1',
    read: readBoolean,
    bind: (value) => value.map((is) => (is ? 1 : 0)),
    encode: (value) => (value ? 1 : 0),
    isJsonKey: true,
    isStoredAsJson: true,
    json: booleanPiece,
  },
  string: text,
  text,
  enum: { ...text, isTextKey: false, keepsOtherForms: true, pathForm: undefined },
  uuid: {
    ...text,
    exact: lowerUuidSql,
    shape: (ref, exact) =>
      sql`case when ${ref} collate binary = ${exact} then 1 when ${ref} collate binary = upper(${ref}) then 6 else 7 end`,
    usualForm: '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01',
    ignoresCase: true,
    read: readUuid,
    write: writeUuid,
    cursorText: other.cursorText,
    isTextKey: false,
    keepsOtherForms: true,
    json: uuidPiece,
    pathForm: pathForms.uuid,
  },
  date: {
    ...other,
    calendar: 'date',
    exact: exactDate,
    shape: dateShape,
    usualForm: '2024-05-14',
    read: readDate,
    isStoredAsJson: true,
    json: datePiece,
  },
  datetime: {
    ...other,
    calendar: 'datetime',
    exact: exactDatetimeForm,
    served: servedDatetime,
    shape: datetimeShape,
    usualForm: '2024-05-14 10:30:00.000',
    read: readDatetime,
    write: writeDatetime,
    cursorText: (raw) =>
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/.test(String(raw))
        ? `${String(raw).replace(' ', 'T')}Z`
        : undefined,
    encode: (value) => blankForm(canonicalInstant(value)),
    json: datetimePiece,
  },
  time: {
    ...other,
    calendar: 'time',
    exact: exactTimeForm,
    served: servedTime,
    shape: (ref) => sql`case when ${ref} glob '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]' then 1 else 6 end`,
    usualForm: '10:30:00',
    read: readTime,
    cursorText: String,
    json: timePiece,
  },
  json: { ...other, encode: jsonText, keepsOtherForms: false },
  binary: { ...other, encode: storedBytes },
  list: other,
  opaque: {
    ...other,
    // A blob may not be valid text, so it is selected as a literal with its bytes in hexadecimal.
    select: (ref) =>
      sql`case typeof(${ref}) when 'blob' then quote(${ref}) else cast(${ref} as text) end`,
  },
}

/** As `oneShape`. The first test decides for nearly every value, so that reading a large index takes a third of the time. */
function dateShape(ref: Ref, exact: unknown): Fragment {
  return sql`case
        when ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' and ${ref} >= '0001' then 1
        when ${ref} = ${exact} and typeof(${ref}) = typeof(${exact}) then 1 else 6 end`
}

/** The numbers are those of `shape` in `canonical-columns.ts`. */
function datetimeShape(ref: Ref): Fragment {
  return sql`case
        when ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]' then 2
        when ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9].000' then 4
        when ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]' then 3
        when ${ref} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z' then 5
        when substr(${ref}, 11) glob '*[+-]*' then 7 else 6 end`
}

/** Whether values of the type can be stored in several formats. */
export const hasForms = ({ type }: DialectColumn): boolean => sqliteTypes[type].exact !== false

/** Converts a value to the format for order and cursors. */
export function exactForm({ type }: DialectColumn, ref: Ref): Ref {
  const { exact } = sqliteTypes[type]
  return exact === false ? ref : exact(ref)
}

/** Converts a value to the precision of responses, for groups: datetimes to the millisecond, times to the second. */
export function servedForm(column: DialectColumn, ref: Ref): Ref {
  const { served } = sqliteTypes[column.type]
  return served === false ? exactForm(column, ref) : served(ref)
}

/** Returns the first `length` characters of a datetime or date in UTC; NULL if the value is neither. */
export function firstOf(column: DialectColumn, ref: Ref, length: number): Ref {
  const served = servedForm(column, ref)
  return sql`case when ${served} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' then substr(${served}, 1, ${natural(length)}) end`
}

/** Returns the decoder of a column. `isScaled` says that the selected value is an integer in units of 10^-scale. */
export function storedDecoder(column: DialectColumn, isScaled: boolean): Decoder {
  const read = sqliteTypes[column.type].read(column, isScaled)
  return (raw) => {
    if (raw === null || raw === undefined) return null
    const value = read(raw)
    return value === undefined ? textOf(raw) : value
  }
}
