// The type of an operand: of a column, or of the result of an aggregate or a bucket such as `year(born_on)`
// (docs/reference/query-language.md). It decides which operators fit and how the values of conditions are converted.

import { columnTypes } from '../../../model/column-types.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'
import type { OperandType } from '../../../model/type-rules.ts'
import type { Operand, Source } from '../plan.ts'

/** Returns the type to which values in a condition on the operand are converted. */
export function operandType(operand: Operand): OperandType {
  switch (operand.kind) {
    case 'column':
      return operand.column
    case 'bucket': {
      const { nullable } = operand.of.column
      return { type: operand.unit === 'year' ? 'integer' : 'string', nullable }
    }
    case 'aggregate':
    case 'related':
      return operand.of === undefined ? count : resultType(operand.function, operand.of.column)
  }
}

const count: OperandType = { type: 'integer', nullable: false }

/** The type of an aggregate of a column's values. */
function resultType(fn: AggregateFunction, column: OperandType): OperandType {
  switch (fn) {
    case 'count':
      return count
    case 'min':
    case 'max':
      return { ...column, nullable: true }
    default:
      return summedType(fn, column)
  }
}

/** Sums and averages of numbers that are strings in JSON are decimals; an average has four more digits after the decimal point. */
function summedType(fn: 'sum' | 'avg', column: OperandType): OperandType {
  if (columnTypes[column.type].json === 'number') return { type: 'float', nullable: true }
  const scale = (column.scale ?? 0) + (fn === 'avg' ? 4 : 0)
  return { type: 'decimal', nullable: true, precision: 60, scale }
}

/** The source of the row that has the operand's value: for an aggregate of related rows, the row that they are related to. */
export function sourceOfOperand(operand: Operand): Source {
  if (operand.kind === 'column') return operand.source
  return operand.kind === 'related' ? operand.from : operand.of.source
}
