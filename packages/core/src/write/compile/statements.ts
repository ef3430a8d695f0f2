// Statements of writes: INSERT, UPDATE, DELETE, locks and existence checks. Names come from the registry; every value is a parameter.

import type { SqlBool } from 'kysely'
import { whereAll } from '../../compile/clauses.ts'
import { allOf } from '../../compile/condition.ts'
import { compileSelection, type Selection } from '../../compile/selection.ts'
import { notDeleted, tableOf } from '../../compile/source.ts'
import type { Target } from '../../compile/target.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { Output, RowPlan, Value } from '../../plan/plan.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { type Fragment, sql, withOrigin } from '../../sql/fragment.ts'
import type { Values } from '../plan/node.ts'
import { returning } from './returning.ts'

/** A statement that writes or locks, and the readers of the rows that it returns. */
export interface CompiledWrite {
  readonly statement: Fragment
  readonly readers: Selection['readers']
}

/** A column of a table and the value it must equal; `column` determines how values are compared. */
export interface Match {
  readonly dbName: string
  readonly column: NamedColumn
  readonly value: Value
}

/** Identifies the condition on the record's key in a statement's template; written values are identified by their columns. */
export const keyOrigin: object = {}

/** `insert into t (…) values (…)`, with RETURNING if `output` is not empty. */
export function compileInsert(
  target: Target,
  resource: Resource,
  values: Values,
  output: readonly Output[],
): CompiledWrite {
  const columns = storedColumns(resource, values)
  const names = sql.join(columns.map(({ dbName }) => sql.id(dbName)))
  const bound = sql.join(columns.map((column) => encodedValue(target, column, values[column.name])))
  // Without values, databases whose inserts use RETURNING take `default values`, the others `() values ()`.
  const what =
    columns.length > 0
      ? sql`(${names}) values (${bound})`
      : output.length > 0
        ? sql`default values`
        : sql`() values ()`
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`insert into ${tableOf(target, resource.table)} ${what}${clause}`,
    readers,
  }
}

/** `insert into t (…) values (…), (…)`: all rows have the same columns. */
export function compileInserts(
  target: Target,
  resource: Resource,
  rows: readonly Values[],
): Fragment {
  const columns = storedColumns(resource, rows[0] ?? {})
  const names = sql.join(columns.map(({ dbName }) => sql.id(dbName)))
  const values = rows.map(
    (row) =>
      sql`(${sql.join(columns.map((column) => encodedValue(target, column, row[column.name])))})`,
  )
  return sql`insert into ${tableOf(target, resource.table)} (${names}) values ${sql.join(values)}`
}

/** `update t set … where key`, with RETURNING if `output` is not empty; `alive` excludes a soft-deleted record. */
export function compileUpdate(
  target: Target,
  resource: Resource,
  values: Values,
  key: readonly Match[],
  {
    alive = false,
    output = [],
  }: { readonly alive?: boolean; readonly output?: readonly Output[] } = {},
): CompiledWrite {
  const undeleted = alive ? notDeleted(target, resource) : undefined
  const where = whereAll([
    withOrigin<SqlBool>(keyOrigin, matchCondition(target, key)),
    ...(undeleted === undefined ? [] : [undeleted]),
  ])
  const { clause, readers } = returning(target, output)
  return {
    statement: sql`${updateSet(target, resource, values)}${where}${clause}`,
    readers,
  }
}

/** `update t set …`, without WHERE. */
export function updateSet(target: Target, resource: Resource, values: Values): Fragment {
  const set = storedColumns(resource, values).map(
    (column) =>
      sql`${sql.id(column.dbName)} = ${encodedValue(target, column, values[column.name])}`,
  )
  return sql`update ${tableOf(target, resource.table)} set ${sql.join(set)}`
}

/** `delete from t where …`: a record by its key, or links by the key of one side. */
export const compileDelete = (target: Target, table: string, matches: readonly Match[]): Fragment =>
  sql`delete from ${tableOf(target, table)} where ${matchCondition(target, matches)}`

/** `delete from t where key returning 1`: returns a row if the record existed. */
export const compileDeleteReturning = (
  target: Target,
  table: string,
  key: readonly Match[],
): Fragment => sql`${compileDelete(target, table, key)} returning 1 as ${sql.id('found')}`

/** Locks a row until the transaction ends. */
export const compileLock = (target: Target, table: string, key: readonly Match[]): Fragment =>
  sql`select 1 from ${tableOf(target, table)} where ${matchCondition(target, key)} for update`

/** Reads and locks the rows of a plan that `readsStoredColumns`. */
export const compileLocked = (target: Target, plan: RowPlan): CompiledWrite =>
  lockedRows(target, plan, allOf(target, plan.where))

/** Reads and locks the record with this key, without the plan's other conditions. */
export const compileLockedRecord = (
  target: Target,
  plan: RowPlan,
  key: readonly Match[],
): CompiledWrite =>
  lockedRows(target, plan, withOrigin<SqlBool>(keyOrigin, matchCondition(target, key)))

function lockedRows(
  target: Target,
  plan: RowPlan,
  where: Fragment<SqlBool> | undefined,
): CompiledWrite {
  const { resource, includeDeleted } = plan.from
  const { expressions, readers } = compileSelection(target, plan.output, false)
  const undeleted = includeDeleted ? undefined : notDeleted(target, resource)
  const conditions = [where, undeleted].filter((one) => one !== undefined)
  const rows = sql`select ${sql.join(expressions)} from ${tableOf(target, resource.table)}`
  return { statement: sql`${rows}${whereAll(conditions)} for update`, readers }
}

/** Returns a row if any row has these values, other than the row that `except` matches. */
export function compileProbe(
  target: Target,
  table: string,
  matches: readonly Match[],
  except: readonly Match[] = [],
): Fragment {
  const other = except.length === 0 ? sql`` : sql` and not (${matchCondition(target, except)})`
  return sql`select 1 as ${sql.id('found')} from ${tableOf(target, table)} where ${matchCondition(target, matches)}${other} limit 1`
}

/** The stored columns that have a value, in the order of the model; computed columns are not stored. */
export function storedColumns(resource: Resource, values: Values): readonly NamedColumn[] {
  const stored: NamedColumn[] = []
  for (const column of resource.allColumns.values()) {
    if (column.computed === undefined && values[column.name] !== undefined) stored.push(column)
  }
  return stored
}

export const encodedValue = (
  { dialect }: Target,
  column: NamedColumn,
  value: JsonValue | undefined,
): Fragment => withOrigin(column, sql`${value === null ? null : dialect.encode(column, value)}`)

export function matchCondition(target: Target, matches: readonly Match[]): Fragment<SqlBool> {
  const parts = matches.map(({ dbName, column, value }) =>
    target.dialect.compare(column, sql.id(dbName), 'eq', value),
  )
  return sql.join(parts, sql` and `) as Fragment<SqlBool>
}
