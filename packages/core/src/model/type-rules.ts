// Which operators, orders and functions make sense for which column type (contract §4 Operators, Groups); plan and openapi read it.

import type { AggregateFunction, FilterOperator } from '../parse/operators.ts'
import type { ColumnType } from './column.ts'

/** What conditions and orders need to know of an operand: a column, or what an aggregate or bucket results in. */
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

/** Whether rows can be ordered, ranged and grouped into pages by the type. */
export const isOrdered = (operand: OperandType): boolean =>
  !unordered.includes(operand.type) && operand.storage !== 'text'

/** Whether rows can be ordered by it: also booleans, false before true. */
export const isSortable = (operand: OperandType): boolean =>
  operand.type === 'boolean' || isOrdered(operand)

/** Whether rows can be grouped by it. */
export const isGroupable = (operand: OperandType): boolean =>
  operand.type !== 'json' && operand.type !== 'binary'

/** Whether an aggregate function makes sense for the type. */
export function functionFits(fn: AggregateFunction, operand: OperandType): boolean {
  if (fn === 'count') return true
  if (operand.storage === 'text') return false
  return fn === 'min' || fn === 'max' ? isOrdered(operand) : numeric.includes(operand.type)
}
