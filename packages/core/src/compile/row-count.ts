// RowPlan → the number of rows of its whole set: a statement, or a value beside the rows.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { rowCount } from '../dialect/shared/row-count.ts'
import type { RowPlan } from '../plan/plan.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import { selectOf } from './row-set.ts'
import type { Target } from './target.ts'

/** The total beside the rows. Groups are all made before the first is given: where that may be, they are counted then. */
export const totalWithin = (target: Target, plan: RowPlan, most: number | null): Fragment =>
  countsBeside(target.dialect, plan)
    ? sql`count(*) over ()`
    : sql`(${compileCount(target, plan, most)})`

/** Whether the total is there as soon as the rows are. */
export const countsBeside = ({ shortcuts }: InternalDialect, { shape }: RowPlan): boolean =>
  shape === 'groups' && shortcuts?.countsGroupsByWindow === true

/** The number of rows of the whole set, as `total`; counts at most `most` where that is given. */
export function compileCount(target: Target, plan: RowPlan, most: number | null = null): Fragment {
  const total = sql`count(*)`.as('total')
  if (plan.shape !== 'groups' && most === null) return selectOf(target, plan, [total])
  const member = plan.shape === 'groups' ? sql`count(*)` : sql`1`
  const set = selectOf(target, plan, [member.as('n')])
  const limit = most === null ? sql`` : sql` limit ${rowCount(target.dialect, most)}`
  return sql`select ${total} from (${set}${limit}) as ${sql.id('counted')}`
}
