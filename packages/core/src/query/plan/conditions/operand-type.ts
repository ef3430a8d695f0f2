// The type of an operand: of a column, or of the result of an aggregate or a bucket (docs/reference/query-language.md).

import type { OperandType } from '../../../model/type-rules.ts'
import type { Operand } from '../plan.ts'

/** Returns the type to which values in a condition on the operand are converted. */
export function operandType(operand: Operand): OperandType {
  if (operand.kind === 'column') return operand.column
  const column = operand.of.column
  if (operand.kind === 'bucket') {
    return { type: operand.unit === 'year' ? 'integer' : 'string', nullable: column.nullable }
  }
  switch (operand.function) {
    case 'count':
      return { type: 'integer', nullable: false }
    case 'min':
    case 'max':
      return { ...column, nullable: true }
    default:
      return summedType(operand.function, column)
  }
}

/** Sums and averages of bigint and decimal columns are decimals; an average has four more digits after the decimal point. */
function summedType(fn: 'sum' | 'avg', column: OperandType): OperandType {
  const exact = column.type === 'bigint' || column.type === 'decimal'
  if (!exact) return { type: 'float', nullable: true }
  const scale = (column.scale ?? 0) + (fn === 'avg' ? 4 : 0)
  return { type: 'decimal', nullable: true, precision: 60, scale }
}
