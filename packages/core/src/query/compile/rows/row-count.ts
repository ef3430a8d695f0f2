// Compiles the total number of rows of a RowPlan: as a statement, or as a column of the rows.

import type { InternalDialect } from '../../../dialect/internal-dialect.ts'
import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { RowPlan } from '../../plan/plan.ts'
import type { Target } from '../target.ts'
import { selectOf } from './row-set.ts'

/** Compiles the total as a column: a subquery, or for groups a window function if `countsByWindow`. */
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
  if (plan.shape !== 'groups' && maxRows === null) return selectOf(target, plan, [total])
  const member = plan.shape === 'groups' ? sql`count(*)` : sql`1`
  const set = selectOf(target, plan, [member.as('n')])
  const limit = maxRows === null ? sql`` : sql` limit ${limitValue(target.dialect, maxRows)}`
  return sql`select ${total} from (${set}${limit}) as ${sql.id('counted')}`
}
