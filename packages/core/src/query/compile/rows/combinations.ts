// Compiles how many combinations of joined rows a projection or the groups of a query read, counted without combining them.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { combinesMany, ownConditions } from '../../plan/conditions/base-conditions.ts'
import type { PlannedJoin, RowPlan, Source } from '../../plan/plan.ts'
import { aliasedSource, relatedRows } from '../source.ts'
import type { Target } from '../target.ts'
import { whereAll } from './clauses.ts'
import { compileCondition } from './condition.ts'

/** Whether the rows of several to-many relations are combined. */
export const combinesRows = ({ shape, distinctBase, from, joins }: RowPlan): boolean =>
  shape !== 'records' && !distinctBase && combinesMany(from, joins)

/**
 * Compiles the statement that returns, as `total`, the number of combinations: the product of the related rows of each base row, summed
 * up. It ignores conditions on the joined rows, because the database may test them after it has combined the rows.
 */
export function compileCombinations(target: Target, { from, joins, where }: RowPlan): Fragment {
  // A right join reads all base rows before it tests conditions on them.
  const isRight = joins.some(({ type }) => type === 'right')
  const conditions = isRight ? [] : ownConditions(from, where, joins)
  const tests = conditions.map((condition) => compileCondition(target, condition))
  // As floats, because the product may exceed the range of integers.
  const total = sql`sum(1.0 * ${combinationsOf(target, joins, from)})`.as('total')
  return sql`select ${total} from ${aliasedSource(target, from)}${whereAll(tests)}`
}

/** The number of combinations of the rows that are joined to one row of `source`. */
function combinationsOf(target: Target, joins: readonly PlannedJoin[], source: Source): Fragment {
  const factors = joins
    .filter(({ from }) => from === source)
    .map((join) => {
      const each = combinationsOf(target, joins, join.source)
      const count = sql`(select coalesce(sum(${each}), 0) from ${relatedRows(target, join, { rowsMayRepeat: true })})`
      // Outer joins give one row of NULLs if there is no related row.
      return join.type === 'inner' ? count : sql`coalesce(nullif(${count}, 0), 1)`
    })
  return factors.length === 0 ? sql`1` : sql.join(factors, sql` * `)
}
