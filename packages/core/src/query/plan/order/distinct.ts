// The pass of `distinct_on`: plans which columns of the base must differ between the rows of a list (docs/reference/query-language.md).

import { operatorNotForType, unsupportedQuery } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { isGroupable } from '../../../model/type-rules.ts'
import { type PlanContext, textAt } from '../context.ts'
import { asksForGroups } from '../groups.ts'
import { type Names, resolveColumn } from '../names.ts'
import { sameColumn } from '../output.ts'
import type { ColumnRef, PlannedOrder } from '../plan.ts'
import { isToMany } from '../relations/joins.ts'

/** Plans `distinct_on`, whose columns must be the first of the order, in any sequence and direction. */
export function planDistinct(
  context: PlanContext,
  names: Names,
  order: readonly PlannedOrder[],
): readonly ColumnRef[] {
  const { distinctOn } = context.ast
  const [first] = distinctOn
  if (first === undefined) return []
  const at = textAt(context, first.span)
  if (asksForGroups(context)) {
    throw unsupportedQuery(
      '"distinct_on" chooses records, which groups and aggregates do not have.',
      at,
    )
  }
  if (names.joins.some(({ type, source }) => type === 'right' || isToMany(names.joins, source))) {
    throw unsupportedQuery(
      '"distinct_on" cannot be used with joins that give several rows for one record; use "exists(…)".',
      at,
    )
  }
  const columns: ColumnRef[] = []
  for (const field of distinctOn) {
    const ref = resolveColumn(names, field, textAt(context, field.span))
    if (ref.source !== names.base) {
      throw unsupportedQuery(
        `"distinct_on" takes columns of "${context.resource.endpoint}" itself, not "${excerpt(field.text)}".`,
        textAt(context, field.span),
      )
    }
    if (!isGroupable(ref.column)) {
      throw operatorNotForType(
        'distinct_on',
        field.text,
        ref.column.type,
        '',
        textAt(context, field.span),
      )
    }
    if (!columns.some((column) => sameColumn(column, ref))) columns.push(ref)
  }
  // Without `order_by`, the order is one that the client has not chosen, so that it does not count.
  const start = context.ast.order.length === 0 ? [] : order.slice(0, columns.length)
  const begins = columns.every((column) =>
    start.some(({ operand }) => operand.kind === 'column' && sameColumn(operand, column)),
  )
  if (!begins) {
    const wanted = columns.map(({ column }) => column.name).join(',')
    throw unsupportedQuery(
      `The order decides which record of each value is returned, so it must begin with the columns of "distinct_on": order_by=${wanted},….`,
      at,
    )
  }
  return columns
}
