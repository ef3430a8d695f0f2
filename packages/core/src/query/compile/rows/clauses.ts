// Builds WHERE, GROUP BY and ORDER BY clauses; a clause without items is empty.

import type { Expression } from 'kysely'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'

const clause = (keyword: Fragment, items: readonly unknown[], separator?: Fragment): Fragment =>
  items.length === 0 ? sql`` : sql`${keyword}${sql.join(items, separator)}`

export const whereAll = (conditions: readonly Expression<unknown>[]): Fragment =>
  clause(sql` where `, conditions, sql` and `)

export const groupBy = (keys: readonly Expression<unknown>[]): Fragment =>
  clause(sql` group by `, keys)

export const orderBy = (terms: readonly Expression<unknown>[]): Fragment =>
  clause(sql` order by `, terms)
