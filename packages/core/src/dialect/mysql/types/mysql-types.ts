// mysqlTypes: what distinguishes the column types on MySQL and MariaDB, and the formats of their values. `mysql-dialect.ts` looks the type
// of a column up here.

import { sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { ColumnType } from '../../../model/column.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { SpecialValues } from '../../../model/type-definition.ts'
import type { PlanValue } from '../../dialect.ts'
import { jsonText, natural, type Ref, storedBytes } from '../../shared/sql/sql-parts.ts'
import { blankForm } from '../../shared/values/calendar-text.ts'
import {
  bigintColumn,
  bytesColumn,
  floatColumn,
  type ToDocument,
  textColumn,
  wholeColumn,
} from './document-columns.ts'
import { longTimes } from './times.ts'

/** A column type on MySQL and MariaDB. No member is optional, so that a new type decides each of them. */
export interface MysqlType {
  /**
   * The calendar type as which the values are stored and compared; false for other types. A datetime or time stands for a range of stored
   * values.
   */
  readonly calendar: 'date' | 'datetime' | 'time' | false
  /** Whether the driver rounds the values or makes objects of them, so that they are selected as text. */
  readonly isSelectedAsText: boolean
  /** Whether the values are doubles, of whose text the driver parses some with a wrong last digit. */
  readonly isDouble: boolean
  /** Whether the service shows the values as text without interpreting them. */
  readonly isOpaque: boolean
  /** Whether the column may store other numbers than 0 and 1, and is compared by their truth. */
  readonly isTruth: boolean
  /** Whether the letter case of stored texts does not matter, and responses show them in lower case. */
  readonly ignoresCase: boolean
  /** Whether an index of a text column finds values of a table of bound values by equality. */
  readonly isTextKey: boolean
  /** Whether a column may contain values that are not of its type. */
  readonly keepsOtherForms: boolean
  /** Binds a value of a comparison. Casts numbers, because MySQL compares a string with a number as doubles. */
  readonly bind: (value: Param<PlanValue>, column: DialectColumn) => Ref
  /** Binds the items of a list in one way, where `bind` decides for each value; undefined if each item decides. */
  readonly bindAll: (
    values: Param<readonly PlanValue[]>,
  ) => ((item: Param<PlanValue>) => Ref) | undefined
  /** Converts a value other than null to the one that is stored; a datetime is converted by the dialect, which knows its time zone. */
  readonly encode: (value: unknown) => unknown
  /**
   * The values that are not of the usual form: dates that do not exist, times outside of a day, BIGINT UNSIGNED above 2^63-1. Undefined if
   * there are none.
   */
  readonly special: (column: DialectColumn) => SpecialValues | undefined
  /** Makes the column of a JSON document from which an UPDATE or a look-up reads values; undefined if the values must be bound one by one. */
  readonly toDocument: ToDocument
  /**
   * The type of a key in such a document; `text` needs the collation of its column. Undefined if keys of the type are not read from
   * documents.
   */
  readonly documentKey: 'bigint' | 'decimal' | 'text' | undefined
}

const none = (): undefined => undefined

const other: MysqlType = {
  calendar: false,
  isSelectedAsText: false,
  isDouble: false,
  isOpaque: false,
  isTruth: false,
  ignoresCase: false,
  isTextKey: false,
  keepsOtherForms: false,
  bind: (value) => value,
  bindAll: none,
  encode: (value) => value,
  special: none,
  toDocument: textColumn,
  documentKey: undefined,
}

const asText = (value: unknown): unknown => String(value)

const largestSigned = 2n ** 63n - 1n
const isSigned = (value: PlanValue): boolean => typeof value !== 'bigint' || value <= largestSigned
const signed = (value: Param<PlanValue>): Ref => sql`cast(${value.map(String)} as signed)`

const largestUnsigned = 2n ** 64n - 1n
const unsigned: SpecialValues = {
  read: (text) =>
    /^[0-9]{1,20}$/.test(text) && BigInt(text) <= largestUnsigned ? BigInt(text) : undefined,
  pattern: '^[0-9]{1,20}$',
}
/** Of columns that the model does not declare unsigned: responses show such values, but clients cannot write them. */
const undeclaredUnsigned: SpecialValues = { ...unsigned, isOnlyShown: () => true }

/** A date whose year, month or day is zero. */
const zeroDate =
  '(0000-(0[0-9]|1[0-2])-([0-2][0-9]|3[01])|[0-9]{4}-00-([0-2][0-9]|3[01])|[0-9]{4}-(0[0-9]|1[0-2])-00)'
const timeOfDay = 'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}'

const textsOf = (pattern: string): SpecialValues => {
  const whole = new RegExp(pattern)
  return { pattern, read: (text) => (whole.test(text) ? text : undefined) }
}

const zeroDates = textsOf(`^${zeroDate}$`)
// Datetimes in cursors have six fractional digits.
const zeroDatetimes = textsOf(`^${zeroDate}${timeOfDay}([0-9]{3})?Z$`)

const text: MysqlType = { ...other, isTextKey: true, documentKey: 'text' }

export const mysqlTypes: Readonly<Record<ColumnType, MysqlType>> = {
  integer: { ...other, toDocument: wholeColumn, documentKey: 'bigint' },
  bigint: {
    ...other,
    isSelectedAsText: true,
    bind: (value) =>
      value.decide(isSigned) ? signed(value) : sql`cast(${value.map(String)} as unsigned)`,
    // One decision covers a list without large unsigned numbers.
    bindAll: (values) => (values.decide((all) => all.every(isSigned)) ? signed : undefined),
    encode: asText,
    special: ({ unsigned: isUnsigned }) => (isUnsigned === true ? unsigned : undeclaredUnsigned),
    toDocument: bigintColumn,
    documentKey: 'decimal',
  },
  float: { ...other, isSelectedAsText: true, isDouble: true, toDocument: floatColumn },
  decimal: {
    ...other,
    isSelectedAsText: true,
    bind: (value, { scale = 30 }) =>
      sql`cast(${value.map(String)} as decimal(65, ${natural(scale)}))`,
    encode: asText,
  },
  boolean: {
    ...other,
    isTruth: true,
    bind: (value) => value.map((truth) => (truth ? 1 : 0)),
    encode: (value) => (value ? 1 : 0),
    toDocument: wholeColumn,
    documentKey: 'bigint',
  },
  string: text,
  text,
  // `insert ignore` stores the empty text in place of a value that is not a member.
  enum: { ...text, isTextKey: false, keepsOtherForms: true },
  uuid: { ...text, ignoresCase: true },
  date: { ...other, calendar: 'date', isSelectedAsText: true, special: () => zeroDates },
  datetime: {
    ...other,
    calendar: 'datetime',
    isSelectedAsText: true,
    // A zero date, which cannot be converted between time zones.
    encode: (value) => blankForm(String(value)),
    special: () => zeroDatetimes,
  },
  time: {
    ...other,
    calendar: 'time',
    isSelectedAsText: true,
    keepsOtherForms: true,
    special: () => longTimes,
  },
  json: { ...other, isSelectedAsText: true, encode: jsonText },
  binary: { ...other, encode: storedBytes, toDocument: bytesColumn },
  list: { ...other, toDocument: none },
  opaque: { ...other, isOpaque: true, toDocument: none },
}
