// Which operators, orders and functions each column type supports (contract §4 Operators, Groups).

import type { AggregateFunction, FilterOperator } from '../parse/operators.ts'
import type { ColumnType } from './column.ts'

/** The type of an operand of conditions and orders: a column, or the result of an aggregate or a date part. */
export interface OperandType {
  readonly type: ColumnType
  readonly nullable: boolean
  readonly precision?: number
  readonly scale?: number
  readonly enum?: readonly string[]
  readonly storage?: 'text'
}

const numeric: readonly ColumnType[] = ['integer', 'bigint', 'float', 'decimal']
const unordered: readonly ColumnType[] = ['boolean', 'json', 'binary']
const textual: readonly ColumnType[] = ['string', 'text', 'enum']

const rangeOperators: readonly FilterOperator[] = ['lt', 'le', 'gt', 'ge', 'between']
const listOperators: readonly FilterOperator[] = ['eq', 'ne', 'in', 'nin']

/** Whether a filter operator can be used on the type. */
export function operatorFits(operator: FilterOperator, operand: OperandType): boolean {
  if (operator === 'isnull') return true
  if (operand.type === 'json' || operand.type === 'binary') return false
  if (listOperators.includes(operator)) return true
  if (rangeOperators.includes(operator)) return isOrdered(operand)
  return textual.includes(operand.type)
}

/** Whether the type supports range operators and keyset paging. */
export const isOrdered = (operand: OperandType): boolean =>
  !unordered.includes(operand.type) && operand.storage !== 'text'

/** Whether rows can be ordered by the type; includes booleans, false before true. */
export const isSortable = (operand: OperandType): boolean =>
  operand.type === 'boolean' || isOrdered(operand)

/** Whether rows can be grouped by it. */
export const isGroupable = (operand: OperandType): boolean =>
  operand.type !== 'json' && operand.type !== 'binary'

/** Whether the type supports an aggregate function. */
export function functionFits(fn: AggregateFunction, operand: OperandType): boolean {
  if (fn === 'count') return true
  if (operand.storage === 'text') return false
  return fn === 'min' || fn === 'max' ? isOrdered(operand) : numeric.includes(operand.type)
}
