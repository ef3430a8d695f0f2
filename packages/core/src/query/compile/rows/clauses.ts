// Builds WHERE, GROUP BY and ORDER BY clauses, with the space before them; a clause without items is empty: ` order by "price", "id"`.

import type { Expression } from 'kysely'
import { chain } from '../../../dialect/shared/sql/sql-parts.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'

const clause = (keyword: Fragment, items: readonly unknown[]): Fragment =>
  items.length === 0 ? sql`` : sql`${keyword}${sql.join(items)}`

/** ` where a and b` */
export const whereAll = (conditions: readonly Expression<unknown>[]): Fragment =>
  conditions.length === 0 ? sql`` : sql` where ${chain(conditions, 'and')}`

/** ` group by a, b` */
export const groupBy = (keys: readonly Expression<unknown>[]): Fragment =>
  clause(sql` group by `, keys)

/** ` order by a desc, b` */
export const orderBy = (terms: readonly Expression<unknown>[]): Fragment =>
  clause(sql` order by `, terms)
