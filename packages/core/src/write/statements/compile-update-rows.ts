// compileUpdateRows: one UPDATE that gives each of several records its own values; `store/rows/update-rows.ts` sends it.
// `compileValuesUpdate` is one that `fusion/without-look-up.ts` sends.

import type { Expression, SqlBool } from 'kysely'
import type { Ref } from '../../dialect/shared/sql/sql-parts.ts'
import { type Fragment, isFragment, isNodeSource, sql } from '../../lib/sql/fragment.ts'
import { tableOf } from '../../lib/sql/table-name.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { Target } from '../../query/compile/target.ts'
import { valueOfJson } from '../../query/plan/conditions/value.ts'
import type { Output, Value } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'
import { returning } from './returning.ts'
import { type CompiledWrite, matchCondition } from './statements.ts'
import { areIntegers, compileKeysCondition, keyParts, matchesOf } from './statements-by-keys.ts'

/** A stored record and the values to write into it. */
export interface RowUpdate {
  readonly stored: Values
  readonly written: Values
}

/** The values of one column as the dialect binds them, in the order of the rows. Undefined where a row keeps its stored value. */
interface WrittenColumn {
  readonly column: NamedColumn
  readonly values: readonly unknown[]
  readonly isKey?: boolean
}

/**
 * Maximum number of records that a CASE may distinguish. It compares each row with all keys before its own, so its cost grows with
 * the square of their number.
 */
export const mostCases = 100

/** The values that the records get in a column. */
function writtenColumn(
  { dialect }: Target,
  column: NamedColumn,
  updates: readonly RowUpdate[],
): WrittenColumn {
  const { name } = column
  const values = updates.map(({ written }) => {
    const value = written[name]
    return value === null || value === undefined ? value : dialect.encode(column, value)
  })
  return { column, values }
}

/** The values of the records in a column of their key. */
function keyColumn(
  { dialect }: Target,
  column: NamedColumn,
  updates: readonly RowUpdate[],
): WrittenColumn {
  const { name } = column
  const values = updates.map(({ stored }) =>
    dialect.encode(column, valueOfJson(column, stored[name])),
  )
  return { column, values, isKey: true }
}

/** Whether all records get the same value. */
function isShared({ values }: WrittenColumn): boolean {
  for (const value of values) if (value !== values[0]) return false
  return true
}

const isGiven = (value: unknown): boolean => value !== undefined

/** Whether some of the records keep their value. */
const isPartial = ({ values }: WrittenColumn): boolean => values.includes(undefined)

/**
 * Whether a CASE can have these values: each row sets each column, and each value is a parameter, which takes its type from the column. Not
 * for json columns: MySQL converts all results of a CASE to text if one is, and so stores decimals in the kept documents as doubles.
 */
const canBeCases = (columns: readonly WrittenColumn[], rows: number): boolean =>
  rows <= mostCases &&
  columns.every(
    ({ column, values }) =>
      columnTypes[column.type].json !== 'any' &&
      !values.some((value) => value === undefined || isFragment(value) || isNodeSource(value)),
  )

/** The test that a key equals the value in a table of values. */
const keyTest = (
  { dialect }: Target,
  column: NamedColumn,
  ref: Ref,
  value: Ref,
): Expression<SqlBool> | undefined =>
  areIntegers([column])
    ? sql<SqlBool>`${ref} = ${value}`
    : dialect.shortcuts?.equalsValue?.(column, ref, value)

/**
 * `update t set a = v.a from (values (1, 5), (2, 6)) as v where t.id = v.id`, or the same with a join. A column that some rows keep
 * has a second column of flags: `set a = case when v.f = 1 then v.a else t.a end`. Undefined if the dialect has no such statement.
 */
function compileJoinedUpdate(
  target: Target,
  resource: Resource,
  columns: readonly WrittenColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[],
): CompiledWrite | undefined {
  const { dialect } = target
  const { primaryKey } = resource
  const partly = columns.filter(isPartial)
  if (partly.length > 0 && dialect.shortcuts?.keepsByCase !== true) return undefined
  const made = dialect.shortcuts?.valuesTable?.([
    ...primaryKey.map((column) => keyColumn(target, column, updates)),
    ...columns.map((written) =>
      partly.includes(written)
        ? { ...written, values: written.values.map((value) => value ?? null) }
        : written,
    ),
    ...partly.map(({ values }) => ({
      column: null,
      values: values.map((value) => (value === undefined ? 0 : 1)),
    })),
  ])
  if (made === undefined) return undefined
  const { table, refs, joinedBy } = made
  const isJoin = joinedBy === 'join'
  /** The index of the first column of flags. */
  const flags = primaryKey.length + columns.length
  const set = columns.map((written, i) => {
    const { dbName } = written.column
    const own = sql.id(resource.table, dbName)
    const value = refs[primaryKey.length + i]
    const flag = partly.includes(written) ? refs[flags + partly.indexOf(written)] : undefined
    const stored = flag ? sql`case when ${flag} = 1 then ${value} else ${own} end` : value
    return sql`${isJoin ? own : sql.id(dbName)} = ${stored}`
  })
  const parts: Expression<SqlBool>[] = []
  for (const [i, column] of primaryKey.entries()) {
    const part = keyTest(target, column, sql.id(resource.table, column.dbName), refs[i] as Ref)
    if (part === undefined) return undefined
    parts.push(part)
  }
  const [own, values, same] = [tableOf(resource), sql.join(set), sql.join(parts, sql` and `)]
  const { clause, readers } = returning(target, output)
  return {
    // STRAIGHT_JOIN reads the values first, and then each record by its key.
    statement: isJoin
      ? sql`update ${table} straight_join ${own} on ${same} set ${values}${clause}`
      : sql`update ${own} set ${values} from ${table} where ${same}${clause}`,
    readers,
  }
}

/** The UPDATE of `compileJoinedUpdate` for records that all set the same columns. */
export const compileValuesUpdate = (
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
): Fragment | undefined => {
  const written = columns.map((column) => writtenColumn(target, column, updates))
  return compileJoinedUpdate(target, resource, written, updates, [])?.statement
}

/**
 * One UPDATE for several records:
 * - the one of `compileJoinedUpdate`, if the dialect has it, and records get different values;
 * - otherwise `update t set a = case when id = 1 then 5 when id = 2 then 6 else a end, b = 7 where id in (1, 2)`. A column needs no CASE if
 *   all records get the same value.
 *
 * Has RETURNING if `output` is not empty. Undefined if one statement cannot change all records, because there are too many for CASE, or
 * because CASE cannot have their values.
 */
export function compileUpdateRows(
  target: Target,
  resource: Resource,
  columns: readonly NamedColumn[],
  updates: readonly RowUpdate[],
  output: readonly Output[] = [],
): CompiledWrite | undefined {
  const used = columns
    .map((column) => writtenColumn(target, column, updates))
    .filter(({ values }) => values.some(isGiven))
  const shared = new Set(used.filter(isShared))
  if (shared.size < used.length) {
    const joined = compileJoinedUpdate(target, resource, used, updates, output)
    if (joined !== undefined || !canBeCases(used, updates.length)) return joined
  }
  const { primaryKey } = resource
  const parts = keyParts(primaryKey)
  const keys: (readonly Value[])[] = []
  for (const { stored } of updates) {
    keys.push(primaryKey.map((column) => valueOfJson(column, stored[column.name]) as Value))
  }
  const set = used.map((written) => {
    const { column, values } = written
    const ref = sql.id(column.dbName)
    if (shared.has(written)) return sql`${ref} = ${values[0]}`
    const cases = keys.map(
      (key, i) => sql` when ${matchCondition(target, matchesOf(parts, key))} then ${values[i]}`,
    )
    return sql`${ref} = case${sql.join(cases, sql``)} else ${ref} end`
  })
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`update ${tableOf(resource)} set ${sql.join(set)} where ${compileKeysCondition(target, resource, keys)}${clause}`,
    readers,
  }
}
