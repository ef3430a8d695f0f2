// RowPlan → the set that it is about: SELECT … FROM … WHERE … GROUP BY … HAVING, without order and page.

import { tuple } from '../dialect/shared/sql-parts.ts'
import { conditionsOnBase } from '../plan/base-conditions.ts'
import { keyRefs } from '../plan/names.ts'
import type { Condition, PlannedJoin, RowPlan, Source } from '../plan/plan.ts'
import { refersToPrimaryKey } from '../plan/primary-key-relation.ts'
import { requiredJoins } from '../plan/required-joins.ts'
import { type Aliased, type Fragment, sql } from '../sql/fragment.ts'
import { groupBy, whereAll } from './clauses.ts'
import { allOf, compileOperand } from './condition.ts'
import { aliasedSource, columnOf, joinCondition, joinedSource, rightJoinSteps } from './source.ts'
import type { Target } from './target.ts'

/** What a statement adds to the set. */
export interface SelectParts {
  /** The joined sources that it reads from. */
  readonly used?: ReadonlySet<Source>
  /** Joins of what is embedded. */
  readonly joins?: readonly Fragment[]
  readonly beyond?: Fragment | undefined
}

const nothing: ReadonlySet<Source> = new Set()

/** SELECT … FROM … WHERE … GROUP BY … HAVING of a plan. */
export function selectOf(
  target: Target,
  plan: RowPlan,
  selected: readonly Aliased[],
  { used = nothing, joins = [], beyond }: SelectParts = {},
): Fragment {
  const { from, where } = narrowed(target, plan, used)
  const conditions = beyond === undefined ? where : [...where, beyond]
  return sql`select ${sql.join(selected)} from ${from}${sql.join(joins, sql``)}${whereAll(conditions)}${grouping(target, plan)}`
}

/** What a statement reads from, and the conditions it is narrowed by. */
interface Narrowed {
  readonly from: Fragment
  readonly where: readonly Fragment[]
}

/** FROM, JOIN and WHERE: either joined outright, or the base narrowed to the keys that the joins choose. */
function narrowed(target: Target, plan: RowPlan, used: ReadonlySet<Source>): Narrowed {
  if (!plan.distinctBase) {
    const joins = withoutIdle(plan, used)
    return { from: joined(target, plan.from, joins), where: conditionsOf(target, plan.where) }
  }
  const needed = plan.joins
    .filter((join) => used.has(join.source))
    .map((join): PlannedJoin => ({ ...join, type: 'left' }))
  const conditions = conditionsOnBase(plan.from, plan.where, plan.joins)
  const where =
    conditions === undefined ? [chosenKeys(target, plan)] : conditionsOf(target, conditions)
  return { from: joined(target, plan.from, needed), where }
}

/**
 * The joins without those that change nothing: a left join finds one row or none by a primary key, and nothing is read
 * of it. Not every database leaves it out by itself.
 */
function withoutIdle(plan: RowPlan, used: ReadonlySet<Source>): readonly PlannedJoin[] {
  if (plan.shape === 'groups' || plan.joins.every((join) => !isLookUp(join))) return plan.joins
  const deciding = new Set(requiredJoins(plan.where, plan.joins))
  const kept: PlannedJoin[] = []
  // From the last to the first, since a join may start where another one ends.
  for (const join of [...plan.joins].reverse()) {
    const isStart = kept.some(({ from }) => from === join.source)
    const idle = isLookUp(join) && !deciding.has(join) && !used.has(join.source) && !isStart
    if (!idle) kept.unshift(join)
  }
  return kept
}

const isLookUp = ({ type, relation }: PlannedJoin): boolean =>
  type === 'left' && refersToPrimaryKey(relation)

const joinWords = { inner: sql` inner join `, left: sql` left join ` }

/**
 * FROM with its joins. A right join is written as a left join from its other side: SQLite does not look up the rows of a
 * derived table that stands to the right of one, but reads them all for each row of the left side.
 *
 * `books right join authors on …` → `authors left join books on …`
 */
function joined(target: Target, from: Source, joins: readonly PlannedJoin[]): Fragment {
  let tables: Fragment = sql`${aliasedSource(target, from)}`
  let isOne = true
  for (const join of joins) {
    const { type, relation } = join
    if (type !== 'right') {
      tables = sql`${tables}${joinWords[type]}${joinedSource(target, join)} on ${joinCondition(target, join)}`
    } else if (relation.through === undefined) {
      const left = isOne ? tables : sql`(${tables})`
      tables = sql`${joinedSource(target, join)} left join ${left} on ${joinCondition(target, join)}`
    } else {
      const { links, onLinks, partners, onPartners } = rightJoinSteps(target, join)
      tables = sql`${partners} left join (${tables} inner join ${links} on ${onLinks}) on ${onPartners}`
    }
    isOne = false
  }
  return tables
}

function conditionsOf(target: Target, where: readonly Condition[]): readonly Fragment[] {
  const condition = allOf(target, where)
  return condition === undefined ? [] : [condition]
}

/**
 * `key in (select key from base join … where …)`: joined rows repeat keys, not base rows. Reads every combination of joined
 * rows, so this is for conditions alone that cannot be tested on one joined source after the other.
 */
function chosenKeys(target: Target, plan: RowPlan): Fragment {
  const joins = requiredJoins(plan.where, plan.joins)
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const from = joined(target, plan.from, joins)
  const chosen = sql.join(keys.map((key, i) => key.as(`key_${i}`)))
  return sql`${tuple(keys)} in (select ${chosen} from ${from}${whereAll(conditionsOf(target, plan.where))})`
}

function grouping(target: Target, plan: RowPlan): Fragment {
  if (plan.shape !== 'groups') return sql``
  const keys = groupBy(plan.groupBy.map((key) => compileOperand(target, key, true).expression))
  const having = allOf(target, plan.having)
  return having === undefined ? keys : sql`${keys} having ${having}`
}

/** The joined sources that output and order read, with what leads to them. */
export function usedBy(plan: RowPlan): ReadonlySet<Source> {
  const used = new Set<Source>()
  const operands = [
    ...plan.output.map(({ value }) => value),
    ...plan.order.map(({ operand }) => operand),
  ]
  for (const operand of operands) {
    let source: Source | undefined = operand.kind === 'column' ? operand.source : operand.of.source
    while (source !== undefined && !used.has(source)) {
      used.add(source)
      const end: Source = source
      source = plan.joins.find((join) => join.source === end)?.from
    }
  }
  return used
}

/** Whether output and order read the base alone. */
export const readsBaseAlone = (plan: RowPlan): boolean =>
  [...usedBy(plan)].every((source) => source === plan.from)
