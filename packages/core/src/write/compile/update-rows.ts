// compileUpdateRows: one UPDATE that gives each of several records its own values.

import type { Target } from '../../compile/target.ts'
import type { Output, Value } from '../../plan/plan.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { isFragment, isNodeSource, sql } from '../../sql/fragment.ts'
import { tableOf } from '../../sql/table-name.ts'
import type { Values } from '../plan/node.ts'
import { returning } from './returning.ts'
import { type CompiledWrite, matchCondition } from './statements.ts'
import { compileKeysCondition, keyParts, matchesOf } from './statements-by-keys.ts'

/** The values to write into the record with this key, as the dialect binds them, in the order of the written columns. */
export interface RowUpdate {
  readonly key: readonly Value[]
  readonly bound: readonly unknown[]
}

/**
 * The values as the dialect binds them; undefined if one of them is an expression, which cannot be in a column of values with
 * those of other rows: only a parameter takes its type from the column.
 */
export function boundTogether(
  { dialect }: Target,
  columns: readonly NamedColumn[],
  values: Values,
): readonly unknown[] | undefined {
  const bound: unknown[] = []
  for (const column of columns) {
    if (column.type === 'json') return undefined
    const value = values[column.name] ?? null
    const one = value === null ? null : dialect.encode(column, value)
    if (isFragment(one) || isNodeSource(one)) return undefined
    bound.push(one)
  }
  return bound
}

/** `update t set a = v.a from (values (1, 5), (2, 6)) as v where t.id = v.id`; undefined if the dialect has no such statement. */
export function compileJoinedUpdate(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[] = [],
): CompiledWrite | undefined {
  const { dialect } = target
  const { primaryKey } = resource
  // Only integer keys: the database and the service agree on which of them are equal.
  if (!primaryKey.every(({ type }) => type === 'integer' || type === 'bigint')) return undefined
  const made = dialect.shortcuts?.valuesTable?.([
    ...primaryKey.map((column, i) => ({
      column,
      values: updates.map(({ key }) => dialect.encode(column, key[i])),
    })),
    ...columns.map((column, i) => ({ column, values: updates.map(({ bound }) => bound[i]) })),
  ])
  if (made === undefined) return undefined
  const set = columns.map(
    ({ dbName }, i) => sql`${sql.id(dbName)} = ${made.refs[primaryKey.length + i]}`,
  )
  const same = primaryKey.map(
    ({ dbName }, i) => sql`${sql.id(resource.table, dbName)} = ${made.refs[i]}`,
  )
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`update ${tableOf(resource)} set ${sql.join(set)} from ${made.table} where ${sql.join(same, sql` and `)}${clause}`,
    readers,
  }
}

/** For each column, whether all rows get the same value. */
export const sharedValues = (
  columns: readonly NamedColumn[],
  [first, ...others]: readonly RowUpdate[],
): readonly boolean[] =>
  columns.map((_, i) => others.every(({ bound }) => bound[i] === first?.bound[i]))

/**
 * `update t set a = case when id = 1 then 5 when id = 2 then 6 else a end, b = 7 where id in (1, 2)`: a column that gets the same
 * value in all records is set without CASE. With RETURNING if `output` is not empty.
 */
export function compileUpdateRows(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[] = [],
): CompiledWrite {
  const [first] = updates
  const isShared = sharedValues(columns, updates)
  const joined = isShared.includes(false)
    ? compileJoinedUpdate(target, resource, columns, updates, output)
    : undefined
  if (joined !== undefined) return joined
  const parts = keyParts(resource.primaryKey)
  const set = columns.map((column, i) => {
    const ref = sql.id(column.dbName)
    if (isShared[i] === true) return sql`${ref} = ${first?.bound[i]}`
    const cases = updates.map(
      ({ key, bound }) =>
        sql` when ${matchCondition(target, matchesOf(parts, key))} then ${bound[i]}`,
    )
    return sql`${ref} = case${sql.join(cases, sql``)} else ${ref} end`
  })
  const keys = updates.map(({ key }) => key)
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`update ${tableOf(resource)} set ${sql.join(set)} where ${compileKeysCondition(target, resource, keys)}${clause}`,
    readers,
  }
}
