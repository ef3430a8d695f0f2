// Deletes records: checks for dependents, sets the soft-delete column, and deletes dependents with `cascade_delete` (docs/writing.md).

import { settingNames } from '../../config/setting-names.ts'
import {
  type ApiError,
  forbidden,
  recordNotFound,
  referredTo,
  tooManyRecords,
} from '../../errors.ts'
import { keyChunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import type { Value } from '../../plan/plan.ts'
import { type Dependent, dependentsOf, referredColumns } from '../../registry/dependents.ts'
import type { Resource } from '../../registry/resource.ts'
import { compileDelete, compileUpdate } from '../compile/statements.ts'
import {
  compileDeleteByKeys,
  compileUpdateByKeys,
  matchesOf,
  recordsByKeys,
} from '../compile/statements-by-keys.ts'
import { columnValues, planLookUp } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { requireAccess } from './checks.ts'
import type { Precondition, WriteContext } from './context.ts'
import {
  existsUnscoped,
  keyIn,
  keyMatches,
  lockedRecord,
  lockedRows,
  readScoped,
  readUnscoped,
  valuesOf,
} from './look-up.ts'
import { checkPrecondition, refuseWithoutVersion } from './preconditions.ts'
import { type LinksToRemove, linksToRemove, noteRemovedLinks } from './removed-links.ts'
import { runWrite } from './run-write.ts'
import { deletionMark } from './soft-delete.ts'

export interface RemoveOptions {
  readonly cascade: boolean
  readonly precondition?: Precondition | undefined
  /** The links of the record, if they have been read with those of other records. */
  readonly links?: LinksToRemove
}

/** The state that the deletions of a record and all its dependents share. */
interface Removal {
  readonly context: WriteContext
  readonly cascade: boolean
  /** The records deleted so far, to end cycles and to enforce `max`. */
  readonly deleted: Set<string>
  /** 400 if more records would be deleted. */
  readonly max: number
  /** The path in the body of the list that removes links; empty for a DELETE. */
  readonly path: string
}

/** Deletes one record by its key. Throws 404 if the caller sees none, 409 if other records refer to it. */
export async function removeRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  { cascade, precondition, links }: RemoveOptions,
): Promise<void> {
  await requireAccess(context, resource, 'DELETE')
  const stored = await lockedRecord(context, resource, key, 'DELETE', 'anyChange')
  if (stored === undefined) throw recordNotFound()
  checkPrecondition(resource, precondition, stored)
  const max = resource.settings.limits.bulk
  const soft = resource.settings.softDelete !== null
  const removed = links ?? (await linksToRemove(context, resource, [stored], soft))
  const removal = { context, cascade, deleted: new Set<string>(), max, path: '' }
  await remove(removal, resource, stored, soft, removed)
}

/**
 * Deletes the records of links, which the caller sees; throws 428 if their model requires If-Match. One by one, if functions of the host
 * must be called or other records may refer to them; otherwise with few statements.
 */
export async function removeStored(
  context: WriteContext,
  resource: Resource,
  rows: readonly Values[],
  path: string,
): Promise<void> {
  const { access, hooks, registry, target } = context
  if (rows.length > 0) refuseWithoutVersion(resource, path)
  const { softDelete } = resource.settings
  const oneByOne =
    softDelete === null
      ? dependentsOf(registry, resource).length > 0
      : softDelete.deleted.kind === 'function'
  if (oneByOne || access.hasHook(resource, 'can_delete') || hooks.has(resource, 'remove')) {
    const deleted = new Set<string>()
    const removal = { context, cascade: false, deleted, max: rows.length, path }
    const soft = softDelete !== null
    const links = await linksToRemove(context, resource, rows, soft)
    for (const row of rows) await remove(removal, resource, row, soft, links)
    return
  }
  const all = rows.flatMap((row) => [keyIn(resource, row) ?? []])
  for (const keys of keyChunks(all, resource.primaryKey.length)) {
    const step = { resource, path: '', values: {}, key: null } as const
    if (softDelete === null) {
      const statement = compileDeleteByKeys(target, recordsByKeys(resource, keys))
      await runWrite(context, statement, { ...step, step: 'delete' })
    } else {
      const mark = await deletionMark(context, resource, softDelete, null)
      const statement = compileUpdateByKeys(target, resource, mark, keys)
      await runWrite(context, statement, { ...step, step: 'update' })
    }
  }
  for (const row of rows) context.changes?.note(resource, row, row)
}

async function remove(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
  links: LinksToRemove,
): Promise<void> {
  const { context, deleted, max } = removal
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const id = JSON.stringify([resource.name, ...key.map(String)])
  if (deleted.has(id)) return
  deleted.add(id)
  if (deleted.size > max) throw tooManyRecords(settingNames.maxBulk, max, 'cascade_delete')
  const isAllowed = await context.access.canDelete(resource, stored, removal.path)
  if (!isAllowed) throw forbidden(removal.path)
  // The precondition is that of the first record; the others are its dependents.
  if (deleted.size > 1) refuseWithoutVersion(resource, removal.path)
  await removeDependents(removal, resource, stored, soft)
  await context.hooks.remove(resource, stored, removal.path)
  const matches = keyMatches(resource, key)
  const step = { resource, path: '', values: stored, key } as const
  const { softDelete } = resource.settings
  if (soft && softDelete !== null) {
    const mark = await deletionMark(context, resource, softDelete, stored)
    const { statement } = compileUpdate(context.target, resource, mark, matches)
    await runWrite(context, statement, { ...step, step: 'update' })
  } else {
    const statement = compileDelete(context.target, resource, matches)
    await runWrite(context, statement, { ...step, step: 'delete' })
  }
  context.changes?.note(resource, stored, stored)
  noteRemovedLinks(context, resource, stored, links)
}

/**
 * With `cascade`, deletes the dependents of a record; otherwise throws 409 if there are any. A soft delete without `cascade` leaves
 * them. A hard delete also deletes the record's links in junction tables without a model, which never prevent it.
 */
async function removeDependents(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
): Promise<void> {
  const { context, cascade } = removal
  if (soft && !cascade) return
  const blocking: Dependent[] = []
  const links: (readonly [Dependent, readonly Value[]])[] = []
  for (const dependent of dependentsOf(context.registry, resource)) {
    const key = valuesOf(referredColumns(dependent), stored)
    if (key === undefined) continue
    if (dependent.resource === null) links.push([dependent, key])
    else if (cascade) await removeRows(removal, dependent, dependent.resource, key, soft)
    else if (await isReferredTo(context, resource, dependent, key, stored)) {
      blocking.push(dependent)
    }
  }
  if (blocking.length > 0) throw await referredToError(context, blocking, true)
  if (soft) return
  for (const [dependent, key] of links) await removeLinks(context, resource, dependent, key)
}

/**
 * A 409 error that names only those dependents that the caller may list. With `deletedCount` it says of those with soft delete that
 * deleted ones count, whether or not there are any: the caller may see none otherwise.
 */
async function referredToError(
  { access }: WriteContext,
  dependents: readonly Dependent[],
  deletedCount: boolean,
): Promise<ApiError> {
  const names = new Set<string>()
  const softDeleted = new Set<string>()
  for (const { resource, held, name } of dependents) {
    if (deletedCount && resource?.settings.softDelete) softDeleted.add(name)
    // A caller who may not read the foreign key must not learn that a record refers to this one.
    if (held.some(({ withheld }) => withheld === 'read')) continue
    if (resource !== null && (await access.mayWrite(resource, 'GET_MANY'))) names.add(name)
  }
  return referredTo([...names].sort(), softDeleted)
}

const linkMatches = ({ key }: Dependent, values: readonly Value[]) => matchesOf(key, values)

/** Whether a row refers to the record; ignores the record's reference to itself. */
async function isReferredTo(
  context: WriteContext,
  resource: Resource,
  dependent: Dependent,
  key: readonly Value[],
  stored: Values,
): Promise<boolean> {
  const own = dependent.resource === resource ? keyIn(resource, stored) : undefined
  const except = own === undefined ? [] : keyMatches(resource, own)
  return existsUnscoped(context, dependent, linkMatches(dependent, key), except)
}

/**
 * Deletes the dependents, each with the access rules of its model. Throws 409 if the caller may not see one of them. In a soft delete, they
 * are locked before their own dependents are read, so that nobody adds others meanwhile.
 */
async function removeRows(
  removal: Removal,
  dependent: Dependent,
  resource: Resource,
  key: readonly Value[],
  soft: boolean,
): Promise<void> {
  const { context, max } = removal
  // Before a hard delete, soft-deleted dependents must be deleted as well, since their rows still refer to the record.
  const isSoft = soft && resource.settings.softDelete !== null
  const plan = planLookUp(resource, columnValues(dependent.held, key), !isSoft)
  const found = await readUnscoped(context, plan, max + 1)
  if (found.length === 0) return
  await requireAccess(context, resource, 'DELETE')
  if (found.length > max) throw tooManyRecords(settingNames.maxBulk, max, 'cascade_delete')
  // Read again, because others may have changed or moved the records before they were locked. A hard delete needs no lock: the database
  // refuses to delete a record to which another one refers.
  const rows = soft ? await lockedRows(context, plan, found) : found
  const visible = context.access.narrows(resource)
    ? await readScoped(context, plan, 'DELETE')
    : rows
  // A policy that joins may return a row twice, so the keys are compared, not the numbers of rows.
  const seen = new Set(visible.map((row) => keyTextOf(resource, row)))
  if (rows.some((row) => !seen.has(keyTextOf(resource, row)))) {
    throw await referredToError(context, [dependent], !isSoft)
  }
  const links = await linksToRemove(context, resource, rows, isSoft)
  for (const row of rows) await remove(removal, resource, row, isSoft, links)
}

const keyTextOf = (resource: Resource, row: Values): string => keyText(keyIn(resource, row) ?? [])

async function removeLinks(
  context: WriteContext,
  resource: Resource,
  dependent: Dependent,
  key: readonly Value[],
): Promise<void> {
  const statement = compileDelete(context.target, dependent, linkMatches(dependent, key))
  await runWrite(context, statement, { step: 'delete', resource, path: '', values: {}, key })
}
