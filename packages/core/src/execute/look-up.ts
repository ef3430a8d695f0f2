// Look-ups of a write: stored records through the caller's scope, locked until the transaction ends.

import type { KeyPart } from '../compile/link-query.ts'
import { compileRows } from '../compile/row-query.ts'
import { unscoped } from '../compile/scopes.ts'
import { compileLock, compileLocked, compileProbe, type Match } from '../compile/write-query.ts'
import type { RowPlan, Value } from '../plan/plan.ts'
import { readsStoredColumns } from '../plan/write-echo.ts'
import { type ColumnValue, keyEquals, planLookUp } from '../plan/write-look-up.ts'
import type { Values } from '../plan/write-node.ts'
import { planValueOf } from '../plan/write-value.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { load, run } from './run.ts'
import type { WriteAction } from './write-access.ts'
import type { WriteContext } from './write-context.ts'

/** The largest limit that every database takes. */
const all = 2 ** 31 - 1

/** The rows of a plan as the caller may see them; a policy that joins may give a row twice. */
export async function readScoped(
  context: WriteContext,
  plan: RowPlan,
  action: WriteAction,
  most: number = all,
): Promise<readonly Values[]> {
  const target = await context.access.scoped(context.target, plan, action)
  return read({ ...context, target }, plan, most)
}

/** As `readScoped`, of rows that are no answer by themselves: where the policy shows none, there are none. */
export async function readShown(context: WriteContext, plan: RowPlan): Promise<readonly Values[]> {
  const target = await context.access.shown(context.target, plan)
  return read({ ...context, target }, plan, all)
}

/** The rows of a plan whatever the caller may see: for what the database itself would mind. */
export const readUnscoped = (
  context: WriteContext,
  plan: RowPlan,
  most: number,
): Promise<readonly Values[]> => read({ ...context, target: unscoped(context.target) }, plan, most)

async function read(
  { connection, target }: WriteContext,
  plan: RowPlan,
  most: number,
): Promise<readonly Values[]> {
  const { rows, readers } = compileRows(target, plan, { limit: most, offset: 0 })
  return (await run(connection, rows)).map((row) => load(readers, row).values)
}

/** One record by its key as the caller may see it, locked; undefined where there is none. */
export async function lockedRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  action: WriteAction,
  includeDeleted = false,
): Promise<Values | undefined> {
  const { connection, target } = context
  const plan = planLookUp(resource, keyEquals(resource, key), includeDeleted)
  // What is read through a policy or a computed column is no table whose row could be locked.
  const alone = !context.access.narrows(resource) && readsStoredColumns(plan)
  if (target.dialect.capabilities.locksRows && alone) {
    const { statement, readers } = compileLocked(target, plan)
    const [row] = await run(connection, statement)
    return row && load(readers, row).values
  }
  await lockRecord(context, resource, key)
  const [found] = await readScoped(context, plan, action, 1)
  return found
}

/** Holds a record until the transaction ends. Databases whose transactions are serial have no row locks and need none. */
export async function lockRecord(
  { connection, target }: WriteContext,
  resource: Resource,
  key: readonly Value[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  await run(connection, compileLock(target, resource.table, keyMatches(resource, key)))
}

/** Whether a table has a row with these values, unscoped. */
export async function existsUnscoped(
  { connection, target }: Pick<WriteContext, 'connection' | 'target'>,
  table: string,
  matches: readonly Match[],
  except: readonly Match[] = [],
): Promise<boolean> {
  return (await run(connection, compileProbe(target, table, matches, except))).length > 0
}

/** The key of a record, for the statements that change it. */
export const keyMatches = (resource: Resource, key: readonly Value[]): readonly Match[] =>
  keyEquals(resource, key).map(matchOf)

/** The columns of a key, for statements about several records. */
export const keyParts = (columns: readonly NamedColumn[]): readonly KeyPart[] =>
  columns.map((column) => ({ dbName: column.dbName, column }))

export const matchOf = ({ column, value }: ColumnValue): Match => ({
  dbName: column.dbName,
  column,
  value,
})

/** The key in a record's values; undefined where a part of it is missing. */
export function keyIn(resource: Resource, values: Values): readonly Value[] | undefined {
  return valuesOf(resource.primaryKey, values)
}

/** The plan values of some columns; undefined where one is missing or null. */
export function valuesOf(
  columns: readonly NamedColumn[],
  values: Values,
): readonly Value[] | undefined {
  const found = columns.map((column) => planValueOf(column, values[column.name]))
  return found.every((value) => value !== undefined) ? (found as readonly Value[]) : undefined
}
