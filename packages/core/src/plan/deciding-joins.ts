// Which joins decide what base rows there are: a left join that no condition reads keeps every row, and costs a pass over its table.

import type { Condition, Operand, PlannedJoin, RowPlan, Source } from './plan.ts'

/**
 * The joins that narrow, that a condition reads, or that lead to one of these; in their order.
 *
 * `join=books&join_type=left` decides nothing: every author stays, and the books are read for the page alone.
 */
export function decidingJoins(
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): readonly PlannedJoin[] {
  const needed = new Set<Source>()
  for (const condition of where) addSources(condition, needed)
  const deciding: PlannedJoin[] = []
  // A join stands behind the one it starts from.
  for (const join of [...joins].reverse()) {
    if (join.type === 'left' && !needed.has(join.source)) continue
    needed.add(join.from)
    deciding.unshift(join)
  }
  return deciding
}

/** Whether every row of the base belongs to the set: no condition, no join that decides, nothing that hides deleted rows. */
export const isWholeTable = ({ shape, from, where, joins }: RowPlan): boolean =>
  shape === 'entity' &&
  where.length === 0 &&
  (from.includeDeleted || from.resource.settings.softDelete === null) &&
  decidingJoins(where, joins).length === 0

/** The sources whose rows a condition looks at. */
function addSources(condition: Condition, sources: Set<Source>): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const one of condition.all) addSources(one, sources)
      return
    case 'not':
      addSources(condition.one, sources)
      return
    case 'exists':
      sources.add(condition.from)
      for (const one of condition.where) addSources(one, sources)
      return
    case 'linked':
      sources.add(condition.source)
      return
    default:
      sources.add(sourceOf(condition.operand))
  }
}

const sourceOf = (operand: Operand): Source =>
  operand.kind === 'column' ? operand.source : operand.of.source
