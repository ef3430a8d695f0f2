// Reads aggregates of related rows from joined tables that have one row for each parent (`relatedGroups` has the SQL), where a statement
// needs them for all rows of a table, as `GET /api/authors?order_by=-count(books)` does; elsewhere each is a subquery for its row.

import type { Fragment } from '../../../lib/sql/fragment.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { Condition, Operand, RelatedRef, RowPlan } from '../../plan/plan.ts'
import { joinKeys } from '../source.ts'
import type { Target } from '../target.ts'
import { compileCondition } from './condition.ts'
import { relatedGroups } from './related-query.ts'

/** What a statement adds to read aggregates from joined tables. */
export interface GroupedAggregates {
  /** The target for conditions and orders that may read the joined tables. */
  readonly target: Target
  /** Left joins that add no rows. */
  readonly joins: readonly Fragment[]
}

/**
 * Joins the aggregates that the rows are ordered by, and those of the conditions then, because the database would compute the subquery of
 * each for every row of the table. Only for a whole table, where every group is needed.
 */
export const groupedForRows = (target: Target, plan: RowPlan): GroupedAggregates =>
  plan.order.some(({ operand }) => operand.kind === 'related')
    ? grouped(target, plan, [
        ...plan.order.map(({ operand }) => operand),
        ...plan.where.flatMap(operandsOf),
      ])
    : { target, joins: none }

/** Joins the aggregates of the conditions, for the number of rows. */
export const groupedForCount = (target: Target, plan: RowPlan): GroupedAggregates =>
  grouped(target, plan, plan.where.flatMap(operandsOf))

const none: readonly Fragment[] = []

/** Joins the aggregates among the operands, each once; none if the plan does not read the whole table. */
function grouped(
  target: Target,
  plan: RowPlan,
  operands: readonly (Operand | undefined)[],
): GroupedAggregates {
  if (!readsWholeTable(target, plan)) return { target, joins: none }
  const groups = new Map<RelatedRef, Fragment>()
  const joins: Fragment[] = []
  for (const operand of operands) {
    if (operand?.kind !== 'related' || groups.has(operand)) continue
    if (operand.from !== plan.from || !hasExactKeys(target, operand)) continue
    const where = operand.where.map((condition) => compileCondition(target, condition))
    // Has a space, so that no table has this name.
    const { join, value } = relatedGroups(target, operand, where, `aggregate ${joins.length + 1}`)
    joins.push(join)
    groups.set(operand, value)
  }
  return joins.length === 0 ? { target, joins } : { target: { ...target, groups }, joins }
}

/** Whether a statement reads every row of a table, except those that only aggregates exclude. */
const readsWholeTable = ({ dialect, scopes, locks }: Target, plan: RowPlan): boolean =>
  dialect.shortcuts?.groupsRelatedRows === true &&
  locks === undefined &&
  plan.shape !== 'groups' &&
  plan.distinctOn === undefined &&
  plan.joins.length === 0 &&
  scopes.of(plan.from) === 'all' &&
  plan.where.every((condition) =>
    operandsOf(condition).every((operand) => operand?.kind === 'related'),
  )

/** What a condition tests; undefined for one that tests something else than a value of the row. */
function operandsOf(condition: Condition): readonly (Operand | undefined)[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.all.flatMap(operandsOf)
    case 'not':
      return operandsOf(condition.one)
    case 'exists':
    case 'linked':
    case 'keys':
    case 'found':
      return [undefined]
    default:
      return [condition.operand]
  }
}

/** Whether equal keys are in one group, and keys of different groups are never equal: not certain for texts under collations. */
const hasExactKeys = (target: Target, { path: [first] }: RelatedRef): boolean =>
  first !== undefined &&
  !target.scopes.computing &&
  joinKeys(target, first).every(({ column, otherColumn }) =>
    [column, otherColumn].every(({ type }) => columnTypes[type].number === 'whole'),
  )
