// Compiles the total number of rows of a RowPlan, without its page: as a statement, or as a column of the rows. The dialect says which
// costs less (`sliceOf` in `read-program.ts`).

import type { InternalDialect } from '../../../dialect/internal-dialect.ts'
import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { RowPlan } from '../../plan/plan.ts'
import type { Target } from '../target.ts'
import { groupedForCount } from './related-groups.ts'
import { selectOf, selectOnePerValue } from './row-set.ts'

/**
 * Compiles the total as a column: a subquery that stops at `maxRows` unless that is null, or for groups a window function if
 * `countsByWindow`, which counts all of them.
 */
export const totalColumn = (target: Target, plan: RowPlan, maxRows: number | null): Fragment =>
  countsByWindow(target.dialect, plan)
    ? sql`count(*) over ()`
    : sql`(${compileCount(target, plan, maxRows)})`

/** Whether a window function counts the groups, without a second query. */
export const countsByWindow = ({ shortcuts }: InternalDialect, { shape }: RowPlan): boolean =>
  shape === 'groups' && shortcuts?.countsGroupsByWindow === true

/** Compiles the statement that counts all rows, as `total`; it stops at `maxRows` unless that is null. */
export function compileCount(
  target: Target,
  plan: RowPlan,
  maxRows: number | null = null,
): Fragment {
  const total = sql`count(*)`.as('total')
  const { target: groupedTarget, joins } = groupedForCount(target, plan)
  const isPlain = plan.shape !== 'groups' && plan.distinctOn === undefined
  if (isPlain && maxRows === null) return selectOf(groupedTarget, plan, [total], { joins })
  // Any value will do, but groups without `groupby` are one row only if an aggregate is selected.
  const member = plan.shape === 'groups' ? sql`count(*)` : sql`1`
  const items = [member.as('n')]
  const rowSet =
    plan.distinctOn === undefined
      ? selectOf(groupedTarget, plan, items, { joins })
      : // With `distinctOn` no aggregates are joined, so `groupedTarget` is `target`.
        selectOnePerValue(groupedTarget, plan, plan.distinctOn, items)
  const limit = maxRows === null ? sql`` : sql` limit ${limitValue(target.dialect, maxRows)}`
  return sql`select ${total} from (${rowSet}${limit}) as ${sql.id('counted')}`
}
