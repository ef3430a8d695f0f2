// Expressions for columns and values in comparisons: decimals as integers in units of their scale, text under a binary collation. And
// values of statements of the application: sqliteRowDecoder reads its rows, sqliteComparand makes what it compares columns with.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import { isText, natural, type Ref } from '../shared/sql/sql-parts.ts'
import { textOf } from '../shared/values/decode.ts'
import { exactNumber } from '../shared/values/driver-values.ts'
import { hasForms, servedForm, sqliteTypes, storedDecoder } from './stored/sqlite-types.ts'
import { isStoredNumber } from './stored/stored-forms.ts'

/** Whether the column is one that comparisons convert to an integer in units of 10^-scale: any decimal that is not declared as text. */
export function isScaled(column: DialectColumn): boolean {
  return sqliteTypes[column.type].isScaled && column.storage !== 'text'
}

/** Whether the units of a number are a safe integer of JavaScript, with whose digits SQLite and its drivers compute exactly. */
export const hasUnits = ({ scale = 0 }: DialectColumn, ref: Ref): Ref =>
  sql`abs(${ref} * ${natural(10 ** scale)}) < 9007199254740992`

/**
 * Converts a decimal to an integer in units of 10^-scale. A larger number becomes a blob of its text with a
 * point, which sorts after all units and which SQLite never converts to a number; a value that is no number stays as it is.
 */
export function unitsOf(column: DialectColumn, ref: Ref): Ref {
  const text = sql`cast(cast(${ref} as text) || case typeof(${ref}) when 'real' then '' else '.0' end as blob)`
  return sql`case when not ${isStoredNumber(ref)} then ${ref} when ${hasUnits(column, ref)} then ${roundedUnits(column, ref)} else ${text} end`
}

/** Converts a number to an integer in units of 10^-scale: 12.5 with the scale 2 → 1250. */
export const roundedUnits = ({ scale = 0 }: DialectColumn, ref: Ref): Ref =>
  sql`cast(round(${ref} * ${natural(10 ** scale)}) as integer)`

/**
 * Returns an expression that is equal for all values with the same JSON, for groups. Here and below, `column.comparable` says that `ref` is
 * such an expression already, and no column.
 */
export function asComparable(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) return unitsOf(column, ref)
  return isText(column) && !hasForms(column) ? operand(column, ref) : servedForm(column, ref)
}

/**
 * Returns the expression by which a column that is stored in a single format is compared and ordered. Text gets an explicit
 * collation, because the column may be declared with another.
 */
export function operand(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) return unitsOf(column, ref)
  if (column.comparedBy !== undefined) return collatedBy(column.comparedBy, ref)
  return isText(column) && column.collation !== 'database' ? sql`${ref} collate binary` : ref
}

/** Compares by the collation of this name. */
export const collatedBy = (collation: string, ref: Ref): Ref =>
  sql`${ref} collate ${sql.id(collation)}`

/** Binds a value that is compared with the `operand` of a column. */
export const bindOperand = (column: DialectColumn, value: Param<PlanValue>): Ref =>
  sqliteTypes[column.type].bind(value, column)

/** The `rowDecoder` of the dialect. */
export function sqliteRowDecoder(column: DialectColumn): (raw: unknown) => JsonValue {
  const decode = storedDecoder(column, isScaled(column))
  switch (column.type) {
    case 'bigint':
      return (raw) => decode(exactNumber(column, raw))
    case 'decimal':
      return isScaled(column) ? (raw) => decode(rowUnits(column, raw)) : decode
    case 'opaque':
      return (raw) => decode(raw instanceof Uint8Array ? literalOf(raw) : raw)
    default:
      return decode
  }
}

/** What `unitsOf` makes of a stored number: an integer in units of 10^-scale, or the bytes of a number that has none. */
function rowUnits({ scale = 0 }: DialectColumn, raw: unknown): unknown {
  const text = typeof raw === 'string' || typeof raw === 'number' ? String(raw) : textOf(raw)
  if (raw === null || raw instanceof Uint8Array || !/^-?[0-9]/.test(text)) return raw
  const units = Number(text) * 10 ** scale
  if (Number.isNaN(units)) return raw
  if (Math.abs(units) < Number.MAX_SAFE_INTEGER) {
    return Math.sign(units) * Math.round(Math.abs(units))
  }
  return new TextEncoder().encode(/[.e]/i.test(text) ? text : `${text}.0`)
}

/** The literal of a blob, as SQLite's function `quote` writes it. */
const literalOf = (bytes: Uint8Array): string =>
  `X'${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}'`

/** The `comparand` of the dialect; `encoded` is the value that is stored. */
export const sqliteComparand = (column: DialectColumn, encoded: unknown): unknown =>
  // Compared as a number, also with a column that does not convert texts to numbers.
  isScaled(column) && encoded !== null ? sql`cast(${encoded} as numeric)` : encoded
