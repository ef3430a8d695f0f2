// Which operators, orders and functions each column type supports (docs/reference/query-language.md): plans refuse others with 400, and the OpenAPI
// document lists those that fit.

import type { ColumnType, ItemType } from './column.ts'
import { columnTypes } from './column-types.ts'
import type { AggregateFunction, FilterOperator } from './query-words/operators.ts'
import type { SpecialValues } from './type-definition.ts'

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

const rangeOperators: readonly FilterOperator[] = ['lt', 'le', 'gt', 'ge', 'between']
const equalityOperators: readonly FilterOperator[] = ['eq', 'ne', 'in', 'nin']
const itemOperators: readonly FilterOperator[] = ['contains', 'overlaps']

const comparisonOf = ({ type }: Pick<OperandType, 'type'>): 'ordered' | 'equal' | 'none' =>
  columnTypes[type].comparison

/** Whether the items of a list can be compared with those of a filter; not if responses show fewer digits than are stored. */
const comparesItems = ({ type, items }: OperandType): boolean =>
  columnTypes[type].json === 'array' &&
  items !== undefined &&
  !columnTypes[items].responsesLoseDigits

/** Whether a filter operator can be used on the type. */
export function operatorFits(operator: FilterOperator, operand: OperandType): boolean {
  if (operator === 'isnull') return true
  if (itemOperators.includes(operator)) return comparesItems(operand)
  if (comparisonOf(operand) === 'none') return false
  if (equalityOperators.includes(operator)) return true
  if (rangeOperators.includes(operator)) return isOrdered(operand)
  return columnTypes[operand.type].text !== false
}

/** Whether the type supports range operators and keyset paging. */
export const isOrdered = (operand: OperandType): boolean =>
  comparisonOf(operand) === 'ordered' && operand.storage !== 'text'

/** Whether rows can be ordered by the type; includes booleans, false before true. */
export const isSortable = (operand: OperandType): boolean =>
  comparisonOf(operand) === 'equal' || isOrdered(operand)

/** Whether rows can be grouped by the type. */
export const isGroupable = (operand: OperandType): boolean => comparisonOf(operand) !== 'none'

/** Whether a column of the type can be part of a key: in a path, or on either side of a relation. */
export const canBeKey = (column: Pick<OperandType, 'type'>): boolean =>
  comparisonOf(column) !== 'none'

/** Whether the type supports an aggregate function. */
export function functionFits(fn: AggregateFunction, operand: OperandType): boolean {
  if (fn === 'count') return true
  if (operand.storage === 'text') return false
  return fn === 'min' || fn === 'max'
    ? isOrdered(operand)
    : columnTypes[operand.type].number !== false
}
