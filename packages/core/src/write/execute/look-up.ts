// Look-ups of a write: reads stored records through the caller's scope, and locks them until the transaction ends.

import { compileRows } from '../../compile/row-query.ts'
import { unscoped } from '../../compile/scopes.ts'
import { decodeRow, run } from '../../execute/run.ts'
import type { RowPlan, Value } from '../../plan/plan.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { compileLock, compileLocked, compileProbe, type Match } from '../compile/statements.ts'
import { keyParts, matchesOf } from '../compile/statements-by-keys.ts'
import { readsStoredColumns } from '../plan/echo.ts'
import { columnValues, planLookUp } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { planValueOf } from '../plan/value.ts'
import type { WriteAction } from './access.ts'
import type { WriteContext } from './context.ts'

/** The largest LIMIT that every database accepts. */
const noLimit = 2 ** 31 - 1

/** The rows of a plan that the caller may see. A policy that joins may return a row twice. */
export async function readScoped(
  context: WriteContext,
  plan: RowPlan,
  action: WriteAction,
  limit: number = noLimit,
): Promise<readonly Values[]> {
  const target = await context.access.scoped(context.target, plan, action)
  return read({ ...context, target }, plan, limit)
}

/** `readScoped`, but a policy that refuses gives no rows instead of 403. */
export async function readScopedOrEmpty(
  context: WriteContext,
  plan: RowPlan,
): Promise<readonly Values[]> {
  const target = await context.access.scopedOrEmpty(context.target, plan)
  return read({ ...context, target }, plan, noLimit)
}

/** The rows of a plan without scopes, for constraints that the database checks against all rows. */
export const readUnscoped = (
  context: WriteContext,
  plan: RowPlan,
  limit: number,
): Promise<readonly Values[]> => read({ ...context, target: unscoped(context.target) }, plan, limit)

async function read(
  { connection, target }: WriteContext,
  plan: RowPlan,
  limit: number,
): Promise<readonly Values[]> {
  const { rows, readers } = compileRows(target, plan, { limit, offset: 0 })
  return (await run(connection, rows)).map((row) => decodeRow(readers, row).values)
}

/** One record by its key, locked; undefined if there is none that the caller may see. */
export async function lockedRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  action: WriteAction,
  includeDeleted = false,
): Promise<Values | undefined> {
  const { connection, target } = context
  const plan = planLookUp(resource, columnValues(resource.primaryKey, key), includeDeleted)
  // FOR UPDATE needs the plain table: not a scoped subquery, and no computed columns.
  const isPlainTable = !context.access.narrows(resource) && readsStoredColumns(plan)
  if (target.dialect.capabilities.locksRows && isPlainTable) {
    const { statement, readers } = compileLocked(target, plan)
    const [row] = await run(connection, statement)
    return row && decodeRow(readers, row).values
  }
  await lockRecord(context, resource, key)
  const [found] = await readScoped(context, plan, action, 1)
  return found
}

/** Locks a record until the transaction ends. Does nothing on a database without row locks, which runs one write transaction at a time. */
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

/** A record's key, as matches for the statements that change it. */
export const keyMatches = ({ primaryKey }: Resource, key: readonly Value[]): readonly Match[] =>
  matchesOf(keyParts(primaryKey), key)

/** The key in a record's values; undefined if a column is missing or null. */
export function keyIn(resource: Resource, values: Values): readonly Value[] | undefined {
  return valuesOf(resource.primaryKey, values)
}

/** The plan values of some columns; undefined if one is missing or null. */
export function valuesOf(
  columns: readonly NamedColumn[],
  values: Values,
): readonly Value[] | undefined {
  const found = columns.map((column) => planValueOf(column, values[column.name]))
  return found.every((value) => value !== undefined) ? (found as readonly Value[]) : undefined
}
