// Finds the sources that conditions read, and by them the joins that can change which base rows a query returns. Counts and key subqueries
// omit the other joins: left joins that no condition reads, as in `GET /api/books?join=author&join_type=left`.

import { sourceOfOperand } from '../conditions/operand-type.ts'
import type { Condition, PlannedJoin, RowPlan, Source } from '../plan.ts'

/**
 * Returns the inner and right joins, the joins that a condition reads, and the joins on the path to them, in the original order.
 *
 * `join=books&join_type=left` is not among them: it keeps every author.
 */
export function requiredJoins(
  where: readonly Condition[],
  joins: readonly PlannedJoin[],
): readonly PlannedJoin[] {
  const needed = sourcesOfConditions(where)
  const required: PlannedJoin[] = []
  // From the last to the first, because a join is listed after the join that it starts from.
  for (const join of [...joins].reverse()) {
    if (join.type === 'left' && !needed.has(join.source)) continue
    needed.add(join.from)
    required.unshift(join)
  }
  return required
}

/** Whether a query returns all rows of the base table: no condition, no required join, no soft delete that hides rows. */
export const isWholeTable = ({ shape, from, where, joins }: RowPlan): boolean =>
  shape === 'records' &&
  where.length === 0 &&
  (from.includeDeleted || from.resource.settings.softDelete === null) &&
  requiredJoins(where, joins).length === 0

/** Returns the sources that conditions read. */
export function sourcesOfConditions(conditions: readonly Condition[]): Set<Source> {
  const sources = new Set<Source>()
  for (const condition of conditions) addSources(condition, sources)
  return sources
}

/** Adds the sources that a condition reads. */
function addSources(condition: Condition, sources: Set<Source>): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const inner of condition.all) addSources(inner, sources)
      return
    case 'not':
      addSources(condition.one, sources)
      return
    case 'exists':
      sources.add(condition.from)
      for (const inner of condition.where) addSources(inner, sources)
      return
    case 'linked':
    case 'keys':
      sources.add(condition.source)
      return
    default:
      sources.add(sourceOfOperand(condition.operand))
  }
}
