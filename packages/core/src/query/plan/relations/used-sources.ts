// Which sources the output and the order of a plan read. A statement leaves out the joins to others, if these cannot change its rows.

import { sourceOfOperand } from '../conditions/operand-type.ts'
import type { RowPlan, Source } from '../plan.ts'

/** Returns the sources that output and order read, and the sources that the joins to them pass through. */
export function usedBy(plan: RowPlan): ReadonlySet<Source> {
  const used = new Set<Source>()
  const operands = [
    ...plan.output.map(({ value }) => value),
    ...plan.order.map(({ operand }) => operand),
  ]
  for (const operand of operands) {
    let source: Source | undefined = sourceOfOperand(operand)
    while (source !== undefined && !used.has(source)) {
      used.add(source)
      const end: Source = source
      source = plan.joins.find((join) => join.source === end)?.from
    }
  }
  return used
}

/** Whether output and order read only columns of the base. */
export const readsBaseAlone = (plan: RowPlan): boolean =>
  [...usedBy(plan)].every((source) => source === plan.from)
