// Reads aggregates of related rows from joined tables that have one row for each parent (`relatedGroups` has the SQL), where a statement
// needs them for all rows of a table, as `GET /api/authors?order_by=-count(books)` does; elsewhere each is a subquery for its row.
// `groupedForRows` is for the statement of a page, `groupedForCount` for that of its total.

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
  /** Left joins of at most one row for each row of the base; none if every aggregate stays a subquery. */
  readonly joins: readonly Fragment[]
}

/**
 * For the statement of a page. If an aggregate is part of the order, the database computes it for every row of the table before it can choose
 * the page, so that the aggregates of the order and of the conditions are joined. Without one, the database may stop reading when the page
 * is full, and the aggregates of conditions stay subqueries.
 */
export const groupedForRows = (target: Target, plan: RowPlan): GroupedAggregates =>
  plan.order.some(({ operand }) => operand.kind === 'related')
    ? grouped(target, plan, [
        ...plan.order.map(({ operand }) => operand),
        ...plan.where.flatMap(operandsOf),
      ])
    : { target, joins: none }

/** For the statement of the total, which tests every row of the table: joins the aggregates of the conditions. */
export const groupedForCount = (target: Target, plan: RowPlan): GroupedAggregates =>
  grouped(target, plan, plan.where.flatMap(operandsOf))

const none: readonly Fragment[] = []

/** Joins the aggregates of the base among the operands, each once; none if the plan does not read the whole table. */
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

/** The operands that a condition compares; undefined in place of one stands for a condition on something else, such as related rows. */
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

/**
 * Whether the database compares the keys in GROUP BY as it does in the join: whole numbers, but not texts, whose collations may differ. If
 * the query of a hook computes columns (`computing`), it may compute the key, so that the declared type of the key proves nothing.
 */
const hasExactKeys = (target: Target, { path: [first] }: RelatedRef): boolean =>
  first !== undefined &&
  !target.scopes.computing &&
  joinKeys(target, first).every(({ column, otherColumn }) =>
    [column, otherColumn].every(({ type }) => columnTypes[type].number === 'whole'),
  )
