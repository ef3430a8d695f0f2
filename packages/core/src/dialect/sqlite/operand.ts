// The form of columns and values in comparisons: decimals as integers of units, and a common form for values that are stored in several.

import { type Fragment, sql } from '../../sql/fragment.ts'
import type { DialectColumn, PlanValue } from '../dialect.ts'
import { decimalDigits, scaled } from '../shared/decimal.ts'
import { isText, natural, type Ref } from '../shared/sql-parts.ts'
import { isNumber, servedForm } from './stored-forms.ts'

/** Decimals of at most 15 digits, stored as the number or text that the column's affinity made of them. */
export function isScaled(column: DialectColumn): boolean {
  return column.type === 'decimal' && column.storage !== 'text'
}

/** Integers of units of 10^-scale; a value that is not a number stays as it is. */
export function unitsOf(column: DialectColumn, ref: Ref): Ref {
  return sql`case when ${isNumber(ref)} then ${roundedUnits(column, ref)} else ${ref} end`
}

export const roundedUnits = ({ scale = 0 }: DialectColumn, ref: Ref): Ref =>
  sql`cast(round(${ref} * ${natural(10 ** scale)}) as integer)`

/** The form in which values with equal JSON are equal. */
export function asComparable(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) return unitsOf(column, ref)
  return isText(column) && column.type !== 'uuid' ? operand(column, ref) : servedForm(column, ref)
}

/**
 * The expression by which a column with a single form is compared and ordered. Text gets an explicit collation, because the
 * column may be declared with another.
 */
export function operand(column: DialectColumn, ref: Ref): Ref {
  if (column.comparable) return ref
  if (isScaled(column)) return unitsOf(column, ref)
  return isText(column) && column.collation !== 'database' ? sql`${ref} collate binary` : ref
}

export function bind(column: DialectColumn, value: PlanValue): unknown {
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

/** Binds a bigint as text, because not every driver accepts a BigInt; D1 does not. */
export const bigintOf = (value: unknown): Fragment => sql`cast(${String(value)} as integer)`
