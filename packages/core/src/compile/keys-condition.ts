// keysCondition: the condition that a row has one of several keys.

import type { SqlBool } from 'kysely'
import { chain } from '../dialect/shared/sql-parts.ts'
import type { Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import type { Target } from './target.ts'

/** A column of a key, and the SQL of its values; `column` determines how they are compared. */
export interface KeyColumn {
  readonly column: NamedColumn
  readonly ref: Fragment
}

const firstOf = ([value]: readonly Value[]): Value => value as Value

/** Compiles `id in (1, 2)`, or `((a = 1 and b = 2) or (a = 1 and b = 3))` for a key of several columns. */
export function keysCondition(
  { dialect }: Target,
  columns: readonly KeyColumn[],
  keys: readonly (readonly Value[])[],
): Fragment<SqlBool> {
  const [only, ...others] = columns
  if (only !== undefined && others.length === 0) {
    const values = keys.map(firstOf)
    return sql<SqlBool>`${dialect.oneOf(only.column, only.ref, values, false)}`
  }
  const each = keys.map((key) => {
    const parts = columns.map(({ column, ref }, i) =>
      dialect.compare(column, ref, 'eq', key[i] as Value),
    )
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql<SqlBool>`(${chain(each, 'or')})`
}
