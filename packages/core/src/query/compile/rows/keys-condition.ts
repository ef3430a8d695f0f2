// keysCondition: the condition that a row has one of several keys, by which embedded rows are read and writes look up their records; and
// mostKeys, by which the callers divide long lists of keys among statements.

import type { SqlBool } from 'kysely'
import type { InternalDialect } from '../../../dialect/internal-dialect.ts'
import { chain } from '../../../dialect/shared/sql/sql-parts.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import { groupKeys, type KeyGroup } from '../../plan/conditions/key-groups.ts'
import type { Value } from '../../plan/plan.ts'
import type { Target } from '../target.ts'

/** A column of a key, and the SQL of its values; `column` determines how they are compared. */
export interface KeyColumn {
  readonly column: NamedColumn
  readonly ref: Fragment
}

/** The most keys of a condition that has no list of keys: databases take more than twice as long for twice as many comparisons. */
const mostCompared = 500

/** The most keys that one `keysCondition` should have: 500 if it compares each key of several columns by itself, infinity if it has a list of keys. */
export const mostKeys = (
  { shortcuts }: InternalDialect,
  columns: readonly NamedColumn[],
): number =>
  columns.length === 1 || shortcuts?.keyList?.(columns) !== undefined
    ? Number.POSITIVE_INFINITY
    : mostCompared

/** Keys, each with a value for each column. */
type Keys = readonly (readonly Value[])[]

const firstsOf = (keys: Keys): readonly Value[] => keys.map(([value]) => value as Value)

/**
 * Compiles `id in (1, 2)`; for a key of several columns `a = 1 and b in (2, 3)` for each group of keys that differ in one column, or for
 * many groups `(a, b) in (…)`, so that the number of comparisons does not grow with that of the keys.
 */
export function keysCondition(
  target: Target,
  columns: readonly KeyColumn[],
  keys: Param<Keys>,
): Fragment<SqlBool> {
  const { dialect } = target
  const [only, ...others] = columns
  if (only !== undefined && others.length === 0) {
    const values = keys.share(firstsOf)
    return sql<SqlBool>`${dialect.oneOf(only.column, only.ref, values, notNegated)}`
  }
  const types = columns.map(({ column }) => column)
  const groups = keys.share((all) => groupKeys(types, all))
  const list = dialect.shortcuts?.keyList?.(types)
  if (list !== undefined && groups.decide(({ length }) => length > Math.max(1, list.mostGroups))) {
    const refs = columns.map(({ ref }) => ref)
    return sql<SqlBool>`${list.test(refs, keys)}`
  }
  const alternatives = groups
    .items(groups.decide(({ length }) => length))
    .map((group) => groupCondition(target, columns, group))
  return sql<SqlBool>`(${chain(alternatives, 'or')})`
}

/** `negated` of the dialect's `oneOf`. */
const notNegated = false

/** The column of which a group lists several values; -1 if it has one key. */
const columnListed = ({ listed, values }: KeyGroup): number => (values.length > 1 ? listed : -1)

/** Compiles the condition of one group: `(a = 1 and b in (2, 3))`. */
function groupCondition(
  { dialect }: Target,
  columns: readonly KeyColumn[],
  group: Param<KeyGroup>,
): Fragment {
  const listed = group.decide(columnListed)
  const parts = columns.map(({ column, ref }, i) =>
    i === listed
      ? dialect.oneOf(
          column,
          ref,
          group.map(({ values }) => values),
          notNegated,
        )
      : dialect.compare(
          column,
          ref,
          'eq',
          group.map(({ first }) => first[i] as Value),
        ),
  )
  return sql`(${sql.join(parts, sql` and `)})`
}
