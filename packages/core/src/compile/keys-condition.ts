// keysCondition: the condition that a row has one of several keys.

import type { SqlBool } from 'kysely'
import { chain } from '../dialect/shared/sql-parts.ts'
import { groupKeys } from '../plan/key-groups.ts'
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

/** Compiles `id in (1, 2)`, or `((a = 1 and b in (2, 3)) or (a = 2 and b = 2))` for a key of several columns. */
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
  const types = columns.map(({ column }) => column)
  const each = groupKeys(types, keys).map(({ first, listed, values }) => {
    const parts = columns.map(({ column, ref }, i) =>
      i === listed && values.length > 1
        ? dialect.oneOf(column, ref, values, false)
        : dialect.compare(column, ref, 'eq', first[i] as Value),
    )
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql<SqlBool>`(${chain(each, 'or')})`
}
