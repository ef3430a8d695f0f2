// Look-ups of a write, in its transaction: read stored records through the caller's scope, and lock them until the transaction ends. Those
// that return records return them as `Values`, with the columns that the plan reads. The `exists…` functions only tell whether a row is
// there, and the functions at the end make the conditions for a record's key.

import type { TableName } from '../../lib/sql/table-name.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { readingForChange } from '../../query/compile/read-lock.ts'
import { compileRows, type Slice } from '../../query/compile/rows/row-query.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import { exactValues } from '../../query/plan/conditions/path-key.ts'
import type { RowPlan, Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText, keyTextIn } from '../../query/run/key.ts'
import { decodeRows } from '../../query/run/named-rows.ts'
import type { WriteAction } from '../check/write-access.ts'
import { readsStoredColumns } from '../nodes/echo-plan.ts'
import { columnValues, type LookUpOptions, planLookUp, planRecords } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import {
  type CompiledWrite,
  compileLock,
  compileLocked,
  compileProbe,
  type LockedFor,
  type Match,
} from '../statements/statements.ts'
import {
  compileLockByKeys,
  compileLockedByKeys,
  compileProbeByKeys,
  keyParts,
  matchesOf,
  type RowsByKeys,
  recordsByKeys,
} from '../statements/statements-by-keys.ts'
import type { WriteContext } from '../store/write-context.ts'

/** The largest LIMIT that every database accepts. */
const noLimit = 2 ** 31 - 1

/** The rows of a plan that the caller may see, without a lock. Throws 403 if the policy refuses `action`. */
export async function readScoped(
  context: WriteContext,
  plan: RowPlan,
  action: WriteAction,
  limit: number = noLimit,
): Promise<readonly Values[]> {
  const scoped = await context.access.scoped(context.target, plan, action)
  const target = changing.has(action) ? readingForChange(scoped) : scoped
  return readByPlan({ ...context, target }, plan, limit)
}

/** The actions that change the rows which they read. */
const changing: ReadonlySet<WriteAction> = new Set(['PATCH', 'PUT', 'DELETE', 'RESTORE'])

/** `readScoped`, but returns no rows if a policy refuses, instead of 403. */
export async function readScopedOrEmpty(
  context: WriteContext,
  plan: RowPlan,
): Promise<readonly Values[]> {
  const target = await context.access.scopedOrEmpty(context.target, plan)
  return readByPlan({ ...context, target }, plan, noLimit)
}

/** All rows of a plan, including those that the caller may not see: the database checks its constraints against all rows. */
export const readUnscoped = (
  context: WriteContext,
  plan: RowPlan,
  limit: number,
): Promise<readonly Values[]> =>
  readByPlan({ ...context, target: unscoped(context.target) }, plan, limit)

/** Compiles and sends the SELECT of a plan; the target has the scopes. */
async function readByPlan(
  { lease, target }: WriteContext,
  plan: RowPlan,
  limit: number,
): Promise<readonly Values[]> {
  // A literal, because PostgreSQL assumes that a limit in a parameter is small, and then reads the table in the order of the key.
  const isLiteral = limit === noLimit || limit === plan.from.resource.settings.limits.bulk + 1
  const slice: Slice = { limit, offset: 0, ...(isLiteral ? { fixed: true } : {}) }
  const { rows, readers } = compileRows(target, plan, slice)
  return decodeRows(readers, await lease.rows(rows))
}

/** One record by its key, locked; undefined if there is none that the caller may see. */
export async function lockedRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  action: WriteAction,
  lockedFor: LockedFor,
  options: LookUpOptions,
): Promise<Values | undefined> {
  const valuesOfKey = options.isExact === true ? exactValues : columnValues
  const plan = planLookUp(resource, valuesOfKey(resource.primaryKey, key), options)
  if (locksAsItReads(context, plan)) {
    const [row] = await readLocked(context, compileLocked(context.target, plan, lockedFor))
    return row
  }
  // A scope or computed columns cannot be read with FOR UPDATE, so the row is locked before, even if the caller does not see it.
  await lockRecord(context, resource, key, lockedFor)
  const [found] = await readScoped(context, plan, action, 1)
  return found
}

/** Locks the records that a plan has `found`; returns those that it still finds, in the same order, even if the caller may not see them. */
export async function lockedRows(
  context: WriteContext,
  plan: RowPlan,
  found: readonly Values[],
): Promise<readonly Values[]> {
  const { target } = context
  const { capabilities, shortcuts } = target.dialect
  if (!capabilities.locksRows) return found
  const { resource } = plan.from
  const keys = found.map((row) => keyIn(resource, row) ?? [])
  const isOneStatement = shortcuts?.locksFoundRowsOnly === true && readsStoredColumns(plan)
  if (!isOneStatement) await lockByKeys(context, resource, keys)
  const rows = isOneStatement
    ? await readLocked(context, compileLocked(target, plan, 'anyChange'))
    : await readUnscoped(context, plan, noLimit)
  const byKey = new Map(rows.map((row) => [keyText(keyIn(resource, row) ?? []), row]))
  return keys.map((key) => byKey.get(keyText(key))).filter((row) => row !== undefined)
}

/**
 * Locks records by their keys. By another condition, or in a read of the whole table, MySQL and MariaDB would also wait for new rows that
 * concurrent transactions have not committed yet.
 */
async function lockByKeys(
  context: WriteContext,
  resource: Resource,
  keys: readonly (readonly Value[])[],
): Promise<void> {
  const { lease, target } = context
  const { primaryKey } = resource
  for (const keyChunk of keyChunks(context.target.dialect, keys, primaryKey)) {
    const plan = planRecords(resource, primaryKey, keyChunk, {
      read: primaryKey,
      includeDeleted: true,
    })
    const byKeys = compileLockedByKeys(target, plan, primaryKey, keyChunk, 'anyChange')
    if (byKeys === undefined) await lockRecords(context, resource, keyChunk, 'anyChange')
    else await lease.rows(byKeys.statement)
  }
}

/** Whether one statement can read and lock the rows. FOR UPDATE needs the plain table: not a scoped subquery, and no computed columns. */
export const locksAsItReads = ({ access, target }: WriteContext, plan: RowPlan): boolean =>
  target.dialect.capabilities.locksRows &&
  !access.narrows(plan.from.resource) &&
  readsStoredColumns(plan)

/** Runs a statement that reads and locks rows (`compileLocked`); returns the rows. */
export async function readLocked(
  { lease }: WriteContext,
  { statement, readers }: CompiledWrite,
): Promise<readonly Values[]> {
  return decodeRows(readers, await lease.rows(statement))
}

/** Locks the records with these keys that the caller may see; returns them by `keyText`. */
export async function lockedRecords(
  context: WriteContext,
  resource: Resource,
  keys: readonly (readonly Value[])[],
  action: WriteAction,
  lockedFor: LockedFor,
  options: LookUpOptions,
): Promise<ReadonlyMap<string, Values>> {
  const { primaryKey } = resource
  const found = new Map<string, Values>()
  for (const keyChunk of keyChunks(context.target.dialect, keys, primaryKey)) {
    const plan = planRecords(resource, primaryKey, keyChunk, options)
    const isOneStatement = locksAsItReads(context, plan)
    if (!isOneStatement) await lockRecords(context, resource, keyChunk, lockedFor)
    const rows = isOneStatement
      ? await readLocked(
          context,
          compileLockedByKeys(context.target, plan, primaryKey, keyChunk, lockedFor) ??
            compileLocked(context.target, plan, lockedFor),
        )
      : await readScoped(context, plan, action)
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as Values
      found.set(keyTextIn(primaryKey, row) ?? '', row)
    }
  }
  return found
}

/**
 * `lockedRecords` by the values of another unique key. The map has the texts of these values as its keys, so their columns are always
 * read.
 */
export async function lockedRecordsBy(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
  action: WriteAction,
  lockedFor: LockedFor,
  read: LookUpOptions['read'],
): Promise<ReadonlyMap<string, Values>> {
  const found = new Map<string, Values>()
  const all = read && [...new Set([...read, ...columns])]
  for (const keyChunk of keyChunks(context.target.dialect, keys, columns)) {
    for (const row of await lockedBy(
      context,
      resource,
      columns,
      keyChunk,
      action,
      lockedFor,
      all,
    )) {
      found.set(keyTextIn(columns, row) ?? '', row)
    }
  }
  return found
}

/** The locked records with these values in the columns of a unique key: by one statement if it locks no other rows, otherwise by two. */
async function lockedBy(
  context: WriteContext,
  resource: Resource,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
  action: WriteAction,
  lockedFor: LockedFor,
  read: LookUpOptions['read'],
): Promise<Iterable<Values>> {
  const { capabilities, shortcuts } = context.target.dialect
  const plan = planRecords(resource, columns, keys, { read })
  if (!capabilities.locksRows) return readScoped(context, plan, action)
  if (locksAsItReads(context, plan)) {
    const byKeys = compileLockedByKeys(context.target, plan, columns, keys, lockedFor)
    if (byKeys !== undefined || shortcuts?.locksFoundRowsOnly === true) {
      return readLocked(context, byKeys ?? compileLocked(context.target, plan, lockedFor))
    }
  }
  // Otherwise the primary keys are read first, and the records are locked by these, so that no others are locked.
  const rows = await readScoped(
    context,
    planRecords(resource, columns, keys, { read: resource.primaryKey }),
    action,
  )
  const primary: (readonly Value[])[] = []
  for (const row of rows) {
    const key = keyIn(resource, row)
    if (key !== undefined) primary.push(key)
  }
  return (await lockedRecords(context, resource, primary, action, lockedFor, { read })).values()
}

/** `lockRecord` for several records. */
export async function lockRecords(
  { lease, target }: WriteContext,
  resource: Resource,
  keys: readonly (readonly Value[])[],
  lockedFor: LockedFor,
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  for (const keyChunk of keyChunks(target.dialect, keys, resource.primaryKey)) {
    await lease.rows(compileLockByKeys(target, recordsByKeys(resource, keyChunk), lockedFor))
  }
}

/** Locks a record until the transaction ends. Does nothing on a database without row locks, which runs one write transaction at a time. */
async function lockRecord(
  { lease, target }: WriteContext,
  resource: Resource,
  key: readonly Value[],
  lockedFor: LockedFor,
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  await lease.rows(compileLock(target, resource, keyMatches(resource, key), lockedFor))
}

/**
 * Whether a table has a row with these values, even if the caller may not see it: another row than that of `except`, and with `active`, the
 * resource of the table, one that is not marked as deleted.
 */
export async function existsUnscoped(
  { lease, target }: Pick<WriteContext, 'lease' | 'target'>,
  table: TableName,
  matches: readonly Match[],
  except: readonly Match[] = [],
  active?: Resource,
): Promise<boolean> {
  return (await lease.rows(compileProbe(target, table, matches, except, active))).length > 0
}

/** Whether a table has a row with one of some keys, even if the caller may not see it. */
export async function existsOneUnscoped(
  { lease, target }: Pick<WriteContext, 'lease' | 'target'>,
  rows: RowsByKeys,
): Promise<boolean> {
  return (await lease.rows(compileProbeByKeys(target, rows))).length > 0
}

/** The columns of a record's key with its values, for the WHERE of a statement. */
export const keyMatches = ({ primaryKey }: Resource, key: readonly Value[]): readonly Match[] =>
  matchesOf(keyParts(primaryKey), key)

/** `keyMatches` for a key in a path, which names only the record with exactly this key, not one that its collation finds equal. */
export const exactMatches = ({ primaryKey }: Resource, key: readonly Value[]): readonly Match[] =>
  exactValues(primaryKey, key).map(({ column, value }) => ({
    dbName: column.dbName,
    column,
    value,
  }))

/** The primary key in a record's values; undefined if a column is missing or null. */
export function keyIn(resource: Resource, values: Values): readonly Value[] | undefined {
  return keyFromRow(resource.primaryKey, values)
}
