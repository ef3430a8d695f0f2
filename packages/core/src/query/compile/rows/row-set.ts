// Compiles a RowPlan to SELECT … FROM … WHERE … GROUP BY … HAVING, without ORDER BY and LIMIT (`selectOf`). The statements of pages and of
// totals both begin with it, so they are about the same rows; only the total of `distinct_on` has a SELECT of its own (`selectOnePerValue`).

import { tuple } from '../../../dialect/shared/sql/sql-parts.ts'
import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { conditionsOnBase, type JoinedConditions } from '../../plan/conditions/base-conditions.ts'
import { keyRefs } from '../../plan/names.ts'
import type { ColumnRef, Condition, PlannedJoin, RowPlan, Source } from '../../plan/plan.ts'
import { refersToPrimaryKey } from '../../plan/relations/primary-key-relation.ts'
import { requiredJoins } from '../../plan/relations/required-joins.ts'
import { usedBy } from '../../plan/relations/used-sources.ts'
import { readLock } from '../read-lock.ts'
import { aliasedSource, columnOf, joinCondition, joinedSource, rightJoinSteps } from '../source.ts'
import type { Target } from '../target.ts'
import { groupBy, whereAll } from './clauses.ts'
import { compileAll, compileOperand } from './condition.ts'
import { orderTerms } from './row-order.ts'

/** What a statement adds to the plan's own clauses. */
export interface SelectParts {
  /** The joined sources whose columns the statement reads. */
  readonly used?: ReadonlySet<Source>
  /** Joins of embedded relations, and of aggregates of related rows. */
  readonly joins?: readonly Fragment[]
  /** The condition that a row comes after the cursor's row in the order of the page. */
  readonly beyond?: Fragment | undefined
}

const noSources: ReadonlySet<Source> = new Set()

/** Compiles the SELECT of a plan with the given select list. */
export function selectOf(
  target: Target,
  plan: RowPlan,
  selected: readonly (Aliased | Fragment)[],
  { used = noSources, joins = [], beyond }: SelectParts = {},
): Fragment {
  const { from, where } = fromAndWhere(target, plan, used)
  const conditions = beyond === undefined ? where : [...where, beyond]
  return sql`select ${sql.join(selected)} from ${from}${sql.join(joins, sql``)}${whereAll(conditions)}${grouping(target, plan)}`
}

/** FROM without its keyword, and the conditions of WHERE. */
interface FromAndWhere {
  readonly from: Fragment
  readonly where: readonly Fragment[]
}

/** Compiles FROM and WHERE: with the plan's joins or, if joins could repeat base rows, with equivalent conditions on the base. */
function fromAndWhere(target: Target, plan: RowPlan, used: ReadonlySet<Source>): FromAndWhere {
  if (plan.distinctOn !== undefined) {
    const { table, where } = firstRows(target, plan, plan.distinctOn)
    return { from: withJoins(target, table, neededJoins(plan, used)), where }
  }
  const base = aliasedSource(target, plan.from)
  if (!plan.distinctBase) {
    const joins = withoutUnusedJoins(plan, used)
    return { from: withJoins(target, base, joins), where: conditionsOf(target, plan.where) }
  }
  const { conditions, joined } = conditionsOnBase(plan.from, plan.where, plan.joins)
  const keys = joined.map((part) => keysOfJoin(target, plan.from, part))
  const where = [...conditionsOf(target, conditions), ...keys]
  return { from: withJoins(target, base, neededJoins(plan, used)), where }
}

/** The joins whose columns a statement reads, after another part of it has applied the conditions of all. */
const neededJoins = ({ joins }: RowPlan, used: ReadonlySet<Source>): readonly PlannedJoin[] =>
  joins
    .filter((join) => used.has(join.source))
    .map((join): PlannedJoin => ({ ...join, type: 'left' }))

// Has spaces, so that no column has this name.
const placeAlias = 'place among equals'

/**
 * Compiles `distinct_on`: a table of the plan's rows under the alias of the base, and what selects the first row of each value in it.
 * Conditions and policies apply before.
 *
 * `(select …, row_number() over (partition by author_id order by author_id, published desc, id) as "place among equals" from …)`
 */
function firstRows(
  target: Target,
  { distinctOn: _, ...plan }: RowPlan,
  columns: readonly ColumnRef[],
): { readonly table: Aliased; readonly where: readonly Fragment[] } {
  const alias = plan.from.alias
  const { from, where } = fromAndWhere(target, plan, usedBy(plan))
  const rows = sql`${from}${whereAll(where)}`
  const lock = readLock(target, 'base')
  const all = [...plan.from.resource.allColumns.values()].map((column) =>
    columnOf(plan.from, column).as(column.dbName),
  )
  const equal = sql.join(
    columns.map((column) => compileOperand(target, column, { grouped: true }).expression),
  )
  const order = sql.join(orderTerms(target, plan))
  if (target.dialect.shortcuts?.distinctOn === true) {
    // PostgreSQL requires that ORDER BY begins with exactly the expressions of DISTINCT ON.
    const start = { ...plan, order: plan.order.slice(0, columns.length), shape: 'groups' as const }
    const first = sql.join([...orderTerms(target, start), order])
    return {
      table:
        sql`(select distinct on (${equal}) ${sql.join(all)} from ${rows} order by ${first}${lock})`.as(
          alias,
        ),
      // DISTINCT ON has chosen the rows already.
      where: [],
    }
  }
  const number = sql`row_number() over (partition by ${equal} order by ${order})`.as(placeAlias)
  return {
    table: sql`(select ${sql.join([...all, number])} from ${rows}${lock})`.as(alias),
    where: [sql`${sql.id(alias, placeAlias)} = 1`],
  }
}

/**
 * Compiles what counting a plan with `distinct_on` needs: a SELECT with one row for each different value. It groups, which is cheaper than
 * `firstRows`, because a count does not depend on which of the equal rows is read.
 *
 * `select 1 as n from books group by author_id`
 */
export function selectOnePerValue(
  target: Target,
  { distinctOn: _, ...plan }: RowPlan,
  columns: readonly ColumnRef[],
  selected: readonly Aliased[],
): Fragment {
  const { from, where } = fromAndWhere(target, plan, noSources)
  const equal = columns.map(
    (column) => compileOperand(target, column, { grouped: true }).expression,
  )
  return sql`select ${sql.join(selected)} from ${from}${whereAll(where)}${groupBy(equal)}`
}

/**
 * Omits left joins to a primary key if the statement reads none of their columns. Such joins do not change the rows, and not every
 * database removes them itself.
 */
function withoutUnusedJoins(plan: RowPlan, used: ReadonlySet<Source>): readonly PlannedJoin[] {
  if (plan.shape === 'groups' || plan.joins.every((join) => !isByPrimaryKey(join)))
    return plan.joins
  const required = new Set(requiredJoins(plan.where, plan.joins))
  const usedJoins: PlannedJoin[] = []
  // From the last to the first, because a join is listed after the join that it starts from.
  for (const join of [...plan.joins].reverse()) {
    const isStart = usedJoins.some(({ from }) => from === join.source)
    const unused = isByPrimaryKey(join) && !required.has(join) && !used.has(join.source) && !isStart
    if (!unused) usedJoins.unshift(join)
  }
  return usedJoins
}

const isByPrimaryKey = ({ type, relation }: PlannedJoin): boolean =>
  type === 'left' && refersToPrimaryKey(relation)

const joinWords = { inner: sql` inner join `, left: sql` left join ` }

/**
 * Compiles FROM with its joins. A right join is written as a left join with its sides swapped: if a derived table is on the right
 * side of a right join, SQLite reads all of its rows for each row of the left side instead of looking up the matching ones.
 *
 * `books right join authors on …` → `authors left join books on …`
 */
function withJoins(target: Target, from: Aliased, joins: readonly PlannedJoin[]): Fragment {
  let tables: Fragment = sql`${from}`
  // A single table needs no parentheses on the right side of a join.
  let isOne = true
  for (const join of joins) {
    const { type, relation } = join
    if (type !== 'right') {
      tables = sql`${tables}${joinWords[type]}${joinedSource(target, join)} on ${joinCondition(target, join)}`
    } else if (relation.through === undefined) {
      const left = isOne ? tables : sql`(${tables})`
      tables = sql`${joinedSource(target, join)} left join ${left} on ${joinCondition(target, join)}`
    } else {
      const { links, onLinks, linked, onLinked } = rightJoinSteps(target, join)
      tables = sql`${linked} left join (${tables} inner join ${links} on ${onLinks}) on ${onLinked}`
    }
    isOne = false
  }
  return tables
}

/** Compiles conditions as one; an empty list without conditions. */
function conditionsOf(target: Target, where: readonly Condition[]): readonly Fragment[] {
  const condition = compileAll(target, where)
  return condition === undefined ? [] : [condition]
}

/** Compiles `key in (select key from base join … where …)`, so that joined rows repeat keys but not base rows. */
function keysOfJoin(target: Target, base: Source, { joins, where }: JoinedConditions): Fragment {
  const keys = keyRefs(base).map(({ source, column }) => columnOf(source, column))
  const from = withJoins(target, aliasedSource(target, base), joins)
  const chosen = sql.join(keys.map((key, i) => key.as(`key_${i}`)))
  return sql`${tuple(keys)} in (select ${chosen} from ${from}${whereAll(conditionsOf(target, where))}${readLock(target, 'related')})`
}

/** Compiles GROUP BY and HAVING; empty for plans that are not of groups. */
function grouping(target: Target, plan: RowPlan): Fragment {
  if (plan.shape !== 'groups') return sql``
  const keys = groupBy(
    plan.groupBy.map((key) => compileOperand(target, key, { grouped: true }).expression),
  )
  const having = compileAll(target, plan.having)
  return having === undefined ? keys : sql`${keys} having ${having}`
}
