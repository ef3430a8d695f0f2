// Compiles the ORDER BY terms of a RowPlan, and tells whether the database can return its rows in that order without sorting.

import type { Expression } from 'kysely'
import { columnTypes } from '../../../model/column-types.ts'
import type { Operand, RowPlan } from '../../plan/plan.ts'
import { requiredJoins } from '../../plan/relations/required-joins.ts'
import { readsBaseAlone } from '../../plan/relations/used-sources.ts'
import type { Target } from '../target.ts'
import { compileOperand } from './condition.ts'

/** `backwards` reverses the order for `before` pages, whose rows are reversed again after they are read. */
interface Direction {
  readonly backwards: boolean
}

const forwards: Direction = { backwards: false }

/** Compiles the ORDER BY terms: `"books"."price" desc`. */
export function orderTerms(
  target: Target,
  plan: RowPlan,
  { backwards }: Direction = forwards,
): readonly Expression<unknown>[] {
  return plan.order.flatMap(({ operand, descending, nulls }) => {
    const { column, expression } = compileOperand(target, operand, {
      grouped: plan.shape === 'groups',
    })
    const term = {
      descending: descending !== backwards,
      nulls: (nulls === 'first') !== backwards ? ('first' as const) : ('last' as const),
      mayBeNull: mayBeNull(plan, operand),
    }
    return target.dialect.order(column, expression, term)
  })
}

/** Whether a term can be NULL. Without NULLs, the term needs no NULLS FIRST or LAST, so the database can read the order from an index. */
function mayBeNull(plan: RowPlan, operand: Operand): boolean {
  if (operand.kind === 'aggregate' || operand.kind === 'related')
    return operand.function !== 'count'
  const { source, column } = operand.kind === 'column' ? operand : operand.of
  const outer = plan.joins.some(
    (join) => join.type === 'right' || (join.type === 'left' && join.source === source),
  )
  return column.nullable || outer || (plan.distinctBase && source !== plan.from)
}

/** Whether no sort is needed: for a single row, or all rows of a table by an integer primary key. */
export function isInOrder(plan: RowPlan): boolean {
  const { order, where, joins, from } = plan
  if (order.length === 0) return true
  if (plan.distinctOn !== undefined || where.length > 0 || requiredJoins(where, joins).length > 0)
    return false
  const [key, ...others] = from.resource.primaryKey
  const [term] = order
  return (
    readsBaseAlone(plan) &&
    order.length === 1 &&
    others.length === 0 &&
    key !== undefined &&
    columnTypes[key.type].number === 'whole' &&
    term?.operand.kind === 'column' &&
    term.operand.source === from &&
    term.operand.column === key
  )
}
