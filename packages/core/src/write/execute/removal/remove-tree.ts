// removeTree: deletes a record after its dependents, or throws 409 if it has any (docs/writing.md).

import { settingNames } from '../../../config/setting-names.ts'
import { type ApiError, forbidden, referredTo, tooManyRecords } from '../../../errors.ts'
import { keyText } from '../../../execute/key.ts'
import type { Value } from '../../../plan/plan.ts'
import { type Dependent, dependentsOf, referredColumns } from '../../../registry/dependents.ts'
import type { Resource } from '../../../registry/resource.ts'
import { matchesOf } from '../../compile/statements-by-keys.ts'
import { columnValues, planLookUp } from '../../plan/look-up.ts'
import type { Values } from '../../plan/node.ts'
import { requireAccess } from '../checks.ts'
import type { WriteContext } from '../context.ts'
import {
  existsUnscoped,
  keyIn,
  keyMatches,
  lockedRows,
  readScoped,
  readUnscoped,
  valuesOf,
} from '../look-up.ts'
import { refuseWithoutVersion } from '../preconditions.ts'
import { deletionMark } from '../soft-delete.ts'
import { type FoundRows, idOf, Pace, type Referrers } from './look-ahead.ts'
import { RemovedLinksOf, RemovedRow } from './pending-removals.ts'
import type { Removal } from './removals.ts'
import { type LinksToRemove, linksLeft, linksToRemove, noteRemovedLinks } from './removed-links.ts'

/** Deletes a record and, with `cascade`, its dependents first. `soft`: marks it instead, if its model has soft delete. */
export async function removeTree(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
  links: LinksToRemove,
): Promise<void> {
  const { context, cascade, deleted, max, pending, removed } = removal
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const id = idOf(resource, stored)
  if (deleted.has(id)) return
  deleted.add(id)
  const isDependent = cascade && deleted.size > 1
  if (deleted.size > max) throw tooManyRecords(settingNames.maxBulk, max, 'cascade_delete')
  const isAllowed = await context.access.canDelete(resource, stored, removal.path)
  if (!isAllowed) throw forbidden(removal.path)
  // The precondition is that of the first record; the others are its dependents.
  if (deleted.size > 1) refuseWithoutVersion(resource, removal.path)
  const height = await removeDependents(removal, resource, stored, soft)
  await context.hooks.remove(resource, stored, removal.path)
  const { softDelete } = resource.settings
  const mark =
    soft && softDelete !== null ? await deletionMark(context, resource, softDelete, stored) : null
  await pending.add(new RemovedRow(resource, key, stored, mark, height))
  removed.set(id, { height, isMarked: mark !== null })
  context.changes?.note(resource, stored, stored, isDependent ? null : removal.path)
  noteRemovedLinks(context, resource, stored, links, removal.goneLinks)
}

/**
 * With `cascade`, deletes the dependents of a record; otherwise throws 409 if there are any. A soft delete without `cascade` leaves
 * them. A hard delete also deletes the record's links in junction tables without a model, which never prevent it. Returns the height of
 * the record above those that are deleted before it.
 */
async function removeDependents(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
): Promise<number> {
  const { context, cascade, ahead, pending } = removal
  if (soft && !cascade) return 0
  const blocking: Dependent[] = []
  const links: (readonly [Dependent, readonly Value[]])[] = []
  let height = 0
  for (const dependent of dependentsOf(context.registry, resource)) {
    const key = valuesOf(referredColumns(dependent), stored)
    if (key === undefined) continue
    if (dependent.resource === null) links.push([dependent, key])
    else if (cascade) {
      const rows = await removeRows(removal, dependent, dependent.resource, resource, stored, soft)
      height = Math.max(height, above(removal, dependent.resource, rows, idOf(resource, stored)))
    } else if (ahead?.of(resource, stored, soft) === undefined) {
      await pending.flush()
      if (await isReferredTo(context, resource, dependent, key, stored)) blocking.push(dependent)
    }
  }
  if (blocking.length > 0) throw await referredToError(context, blocking, true)
  for (const earlier of ahead?.of(resource, stored, soft)?.earlier ?? []) {
    height = Math.max(height, (removal.removed.get(earlier)?.height ?? 0) + 1)
  }
  if (soft) return height
  for (const [dependent, key] of links) {
    await pending.add(new RemovedLinksOf(resource, dependent, key))
  }
  return height
}

/** The height of the record `id` above these, which refer to it. In a cycle one of them is deleted later. */
function above(
  { removed, pending }: Removal,
  resource: Resource,
  rows: readonly Values[],
  id: string,
): number {
  let height = 0
  for (const row of rows) {
    const own = idOf(resource, row)
    const below = removed.get(own)
    if (below !== undefined) height = Math.max(height, below.height + 1)
    else if (own !== id) pending.keepOrder()
  }
  return height
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
 * Deletes the dependents, each with the access rules of its model, and returns them. Throws 409 if the caller may not see one of them.
 */
async function removeRows(
  removal: Removal,
  dependent: Dependent,
  resource: Resource,
  parentResource: Resource,
  parent: Values,
  parentSoft: boolean,
): Promise<readonly Values[]> {
  const { context, max, ahead } = removal
  // Before a hard delete, soft-deleted dependents must be deleted as well, since their rows still refer to the record.
  const soft = parentSoft && resource.settings.softDelete !== null
  const known = knownRows(
    removal,
    dependent,
    resource,
    ahead?.of(parentResource, parent, parentSoft),
    soft,
  )
  const found = known ?? (await visibleRows(removal, dependent, resource, parent, parentSoft))
  const rows = found.rows.filter(
    (row) => !removal.removed.has(idOf(resource, row)) || known === undefined,
  )
  if (rows.length === 0) return found.rows
  await requireAccess(context, resource, 'DELETE')
  if (rows.length > max) throw tooManyRecords(settingNames.maxBulk, max, 'cascade_delete')
  const links =
    found.links === undefined
      ? await linksToRemove(context, resource, rows, soft)
      : linksLeft(rows, found.links, removal.goneLinks)
  const pace = new Pace(1, -1)
  for (let i = 0; i < rows.length; i++) {
    await ahead?.cover(resource, rows, i, soft, pace)
    await removeTree(removal, resource, rows[i] as Values, soft, links)
  }
  return found.rows
}

/**
 * The dependents that the look-ahead has found, including those that were deleted since. Undefined if they must be read: also if one was
 * marked as deleted since, and its row must be deleted now.
 */
function knownRows(
  { removed }: Removal,
  dependent: Dependent,
  resource: Resource,
  known: Referrers | undefined,
  soft: boolean,
): FoundRows | undefined {
  if (known === undefined) return undefined
  const found = known.found.get(dependent) ?? none
  const isMarked = (row: Values): boolean => removed.get(idOf(resource, row))?.isMarked === true
  return !soft && found.rows.some(isMarked) ? undefined : found
}

const none: FoundRows = { rows: [], links: undefined }

/**
 * Reads the dependents of a record. Throws 409 if the caller may not see one of them. In a soft delete, they are locked before their own
 * dependents are read, so that nobody adds others meanwhile.
 */
async function visibleRows(
  { context, max, pending }: Removal,
  dependent: Dependent,
  resource: Resource,
  parent: Values,
  parentSoft: boolean,
): Promise<FoundRows> {
  await pending.flush()
  const soft = parentSoft && resource.settings.softDelete !== null
  const key = valuesOf(referredColumns(dependent), parent) ?? []
  const plan = planLookUp(resource, columnValues(dependent.held, key), !soft)
  const found = await readUnscoped(context, plan, max + 1)
  if (found.length === 0) return none
  await requireAccess(context, resource, 'DELETE')
  if (found.length > max) throw tooManyRecords(settingNames.maxBulk, max, 'cascade_delete')
  // Read again, because others may have changed or moved the records before they were locked. A hard delete needs no lock: the database
  // refuses to delete a record to which another one refers.
  const rows = parentSoft ? await lockedRows(context, plan, found) : found
  const visible = context.access.narrows(resource)
    ? await readScoped(context, plan, 'DELETE')
    : rows
  // A policy that joins may return a row twice, so the keys are compared, not the numbers of rows.
  const seen = new Set(visible.map((row) => keyTextOf(resource, row)))
  if (rows.some((row) => !seen.has(keyTextOf(resource, row)))) {
    throw await referredToError(context, [dependent], !soft)
  }
  return { rows, links: undefined }
}

const keyTextOf = (resource: Resource, row: Values): string => keyText(keyIn(resource, row) ?? [])
