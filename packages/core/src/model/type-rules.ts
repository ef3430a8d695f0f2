// Which operators, orders and functions each column type supports (docs/reference/query-language.md).

import type { ColumnType, ItemType } from './column.ts'
import type { AggregateFunction, FilterOperator } from './query-words/operators.ts'

/** Values that a column of a database may contain besides those of the usual form of its type, such as PostgreSQL's `infinity`. */
export interface SpecialValues {
  /** Converts the text of such a value; undefined for any other text. */
  readonly read: (text: string) => string | bigint | undefined
  /** Whether only responses and cursors contain the value: no filter, no key and no new value may be it. Default: none. */
  readonly isOnlyShown?: (text: string) => boolean
  /** A regular expression that matches the texts of these values. */
  readonly pattern: string
}

/** The type of an operand of conditions and orders: a column, or the result of an aggregate or a date part. */
export interface OperandType {
  readonly type: ColumnType
  readonly nullable: boolean
  readonly precision?: number
  readonly scale?: number
  readonly enum?: readonly string[]
  readonly items?: ItemType
  readonly storage?: 'text'
  readonly special?: SpecialValues
}

const numeric: readonly ColumnType[] = ['integer', 'bigint', 'float', 'decimal']
/** Types whose values are not compared in any way. */
const uncompared: readonly ColumnType[] = ['json', 'binary', 'list', 'opaque']
const textual: readonly ColumnType[] = ['string', 'text', 'enum']

const rangeOperators: readonly FilterOperator[] = ['lt', 'le', 'gt', 'ge', 'between']
const listOperators: readonly FilterOperator[] = ['eq', 'ne', 'in', 'nin']
const itemOperators: readonly FilterOperator[] = ['contains', 'overlaps']

/** Datetimes and times are stored more precisely than responses show them, so an item copied from a response may match nothing. */
const comparesItems = ({ type, items }: OperandType): boolean =>
  type === 'list' && items !== 'datetime' && items !== 'time'

const isUncompared = ({ type }: OperandType): boolean => uncompared.includes(type)

/** Whether a filter operator can be used on the type. */
export function operatorFits(operator: FilterOperator, operand: OperandType): boolean {
  if (operator === 'isnull') return true
  if (itemOperators.includes(operator)) return comparesItems(operand)
  if (isUncompared(operand)) return false
  if (listOperators.includes(operator)) return true
  if (rangeOperators.includes(operator)) return isOrdered(operand)
  return textual.includes(operand.type)
}

/** Whether the type supports range operators and keyset paging. */
export const isOrdered = (operand: OperandType): boolean =>
  operand.type !== 'boolean' && !isUncompared(operand) && operand.storage !== 'text'

/** Whether rows can be ordered by the type; includes booleans, false before true. */
export const isSortable = (operand: OperandType): boolean =>
  operand.type === 'boolean' || isOrdered(operand)

/** Whether rows can be grouped by the type. */
export const isGroupable = (operand: OperandType): boolean => !isUncompared(operand)

/** Whether a column of the type can be part of a key: in a path, or on either side of a relation. */
export const canBeKey = ({ type }: Pick<OperandType, 'type'>): boolean => !uncompared.includes(type)

/** Whether the type supports an aggregate function. */
export function functionFits(fn: AggregateFunction, operand: OperandType): boolean {
  if (fn === 'count') return true
  if (operand.storage === 'text') return false
  return fn === 'min' || fn === 'max' ? isOrdered(operand) : numeric.includes(operand.type)
}
