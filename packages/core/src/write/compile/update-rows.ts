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

/**
 * The values to write into the record with this key, as the dialect binds them, in the order of the written columns; undefined for
 * a column that stays as it is.
 */
export interface RowUpdate {
  readonly key: readonly Value[]
  readonly bound: readonly unknown[]
}

/** CASE compares each row with all keys before its own, so the cost of a statement grows with the square of the number of rows. */
export const mostCases = 100

/** The values as the dialect binds them. */
export const boundValues = (
  { dialect }: Target,
  columns: readonly NamedColumn[],
  values: Values,
): readonly unknown[] =>
  columns.map((column) => {
    const value = values[column.name]
    return value === null || value === undefined ? value : dialect.encode(column, value)
  })

/** Whether CASE can have these values: only a parameter takes its type from the column. */
const areCases = (columns: readonly NamedColumn[], updates: readonly RowUpdate[]): boolean =>
  updates.length <= mostCases &&
  !columns.some(({ type }) => type === 'json') &&
  updates.every(
    ({ bound }) =>
      !bound.some((value) => value === undefined || isFragment(value) || isNodeSource(value)),
  )

/**
 * `update t set a = v.a from (values (1, 5), (2, 6)) as v where t.id = v.id`, or with a join; undefined if the dialect has no such
 * statement.
 */
function compileJoinedUpdate(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[],
): CompiledWrite | undefined {
  const { dialect } = target
  const { primaryKey } = resource
  // Only integer keys: the database and the service agree on which of them are equal.
  if (!primaryKey.every(({ type }) => type === 'integer' || type === 'bigint')) return undefined
  const partly = columns.filter((_, i) => updates.some(({ bound }) => bound[i] === undefined))
  if (partly.length > 0 && dialect.shortcuts?.keepsByCase !== true) return undefined
  const made = dialect.shortcuts?.valuesTable?.([
    ...primaryKey.map((column, i) => ({
      column,
      values: updates.map(({ key }) => dialect.encode(column, key[i])),
    })),
    ...columns.map((column, i) => ({
      column,
      values: updates.map(({ bound }) => bound[i] ?? null),
    })),
    ...partly.map((column) => {
      const i = columns.indexOf(column)
      return { column: null, values: updates.map(({ bound }) => (bound[i] === undefined ? 0 : 1)) }
    }),
  ])
  if (made === undefined) return undefined
  const { table, refs, joinedBy } = made
  const isJoin = joinedBy === 'join'
  const flags = primaryKey.length + columns.length
  const set = columns.map((column, i) => {
    const { dbName } = column
    const own = sql.id(resource.table, dbName)
    const value = refs[primaryKey.length + i]
    const flag = partly.includes(column) ? refs[flags + partly.indexOf(column)] : undefined
    const stored = flag ? sql`case when ${flag} = 1 then ${value} else ${own} end` : value
    return sql`${isJoin ? own : sql.id(dbName)} = ${stored}`
  })
  const parts = primaryKey.map(
    ({ dbName }, i) => sql`${sql.id(resource.table, dbName)} = ${refs[i]}`,
  )
  const [own, values, same] = [tableOf(resource), sql.join(set), sql.join(parts, sql` and `)]
  const { clause, readers } = returning(target, output)
  return {
    statement: isJoin
      ? sql`update ${table} straight_join ${own} on ${same} set ${values}${clause}`
      : sql`update ${own} set ${values} from ${table} where ${same}${clause}`,
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
 * value in all records is set without CASE. With RETURNING if `output` is not empty. Undefined if there are too many records, or
 * values, for one statement.
 */
export function compileUpdateRows(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[] = [],
): CompiledWrite | undefined {
  const [first] = updates
  const used = columns.filter((_, i) => updates.some(({ bound }) => bound[i] !== undefined))
  if (used.length < columns.length) {
    const ofUsed = (_: unknown, i: number): boolean => used.includes(columns[i] as NamedColumn)
    const others = updates.map(({ key, bound }) => ({ key, bound: bound.filter(ofUsed) }))
    return compileUpdateRows(target, resource, used, others, output)
  }
  const isShared = sharedValues(columns, updates)
  if (isShared.includes(false)) {
    const joined = compileJoinedUpdate(target, resource, columns, updates, output)
    if (joined !== undefined || !areCases(columns, updates)) return joined
  }
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
