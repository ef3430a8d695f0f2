// removeTree: deletes a record after its dependents, or throws 409 if it has any (docs/writing.md).

import { forbidden } from '../../errors.ts'
import {
  type Dependent,
  type DependentModel,
  dependentsOf,
  hasModel,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import { refuseWithoutVersion } from '../check/preconditions.ts'
import type { Values } from '../nodes/node.ts'
import { keyIn, valuesOf } from '../resolve/look-up-records.ts'
import { deletionMark } from '../store/deletion-marks.ts'
import { GroupSize } from '../store/lists/look-ahead/group-size.ts'
import { type FoundRows, findDependents } from './find-dependents.ts'
import { PendingLinks, PendingRow } from './pending-removals.ts'
import { isReferredTo, referredToError } from './referred-to.ts'
import { mostOf, type Tree, tooManyOf } from './removals.ts'
import { type LinksToRemove, linksLeft, noteRemovedLinks } from './removed-links.ts'
import { idOf, isSoftBelow, type ToRemove } from './to-remove.ts'

/** Deletes a record and, in a cascade, its dependents first. `links` has the links of the record, and maybe those of others. */
export async function removeTree(
  tree: Tree,
  record: ToRemove,
  links: LinksToRemove,
): Promise<void> {
  const { context, cascade, begun, counted, path } = tree
  const { resource, stored, soft } = record
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const id = idOf(resource, stored)
  // A cascade may reach a record that it has marked once more, to delete its row. One whose deletion has not ended is part of a cycle.
  const isMarked = begun.get(id)?.soft === true && tree.removed.isOnlyMarked(record)
  if (begun.has(id) && !isMarked) return
  begun.set(id, record)
  const isDependent = cascade && begun.size > 1
  counted.add(id)
  if (counted.size > mostOf(tree)) throw tooManyOf(tree, resource)
  const isAllowed = await context.access.canDelete(resource, stored, path)
  if (!isAllowed) throw forbidden(path)
  // The precondition is that of the first record; the others are its dependents.
  if (isDependent) refuseWithoutVersion(resource, path)
  const height = await removeReferrers(tree, record)
  await context.hooks.remove(resource, stored, path)
  const { softDelete } = resource.settings
  const mark =
    soft && softDelete !== null ? await deletionMark(context, resource, softDelete, stored) : null
  await tree.pending.add(new PendingRow(resource, key, stored, mark, height))
  tree.removed.add(record, height)
  context.changes?.note(resource, stored, stored, isDependent ? null : path)
  noteRemovedLinks(context, resource, stored, links, tree.goneLinks)
}

/**
 * In a cascade, deletes the dependents of a record; otherwise throws 409 if there are any. A soft delete without cascade leaves them. A
 * hard delete also deletes the record's links in junction tables without a model, which never prevent it. Returns the height of the
 * record above those that are deleted before it.
 */
async function removeReferrers(tree: Tree, record: ToRemove): Promise<number> {
  const { context, cascade, pending } = tree
  const { resource, stored, soft } = record
  if (soft && !cascade) return 0
  const blocking: Dependent[] = []
  const links: PendingLinks[] = []
  let height = 0
  for (const dependent of dependentsOf(context.registry, resource)) {
    const key = valuesOf(referredColumns(dependent), stored)
    if (key === undefined) continue
    if (!hasModel(dependent)) {
      links.push(new PendingLinks(resource, dependent, key))
      continue
    }
    const rows = cascade
      ? await removeDependents(tree, record, dependent)
      : await referrersLeft(tree, record, dependent)
    if (rows === 'blocking') blocking.push(dependent)
    else height = Math.max(height, tree.removed.heightAbove(dependent.resource, rows))
  }
  if (blocking.length > 0) throw await referredToError(context, blocking, true)
  if (!soft) for (const one of links) await pending.add(one)
  return height
}

/** Without cascade: the rows that refer to the record and are deleted already, or `blocking` if others refer to it. */
async function referrersLeft(
  { context, ahead, pending }: Tree,
  record: ToRemove,
  dependent: DependentModel,
): Promise<readonly Values[] | 'blocking'> {
  const known = ahead.of(record)
  if (known !== undefined) return known.referrers.get(dependent)?.rows ?? []
  await pending.flush()
  return (await isReferredTo(context, record, dependent)) ? 'blocking' : []
}

/** Deletes the dependents of a record, each with the access rules of its model. Returns them, also those that were deleted before. */
async function removeDependents(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
): Promise<readonly Values[]> {
  const { ahead, removed } = tree
  const { resource } = dependent
  const soft = isSoftBelow(parent, dependent)
  const found = await dependentRows(tree, parent, dependent)
  const rows = found.rows.filter((stored) => !removed.has({ resource, stored, soft }))
  if (rows.length > mostOf(tree)) throw tooManyOf(tree, resource)
  const links = linksLeft(rows, found.links, tree.goneLinks)
  const list = { resource, rows, soft }
  const groups = new GroupSize(1)
  for (const [i, stored] of rows.entries()) {
    await ahead.lookUp(list, i, groups)
    await removeTree(tree, { resource, stored, soft }, links)
  }
  return found.rows
}

/** The dependents of a record: those that the look-ahead has found, unless this request has marked one of them since. */
async function dependentRows(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
): Promise<FoundRows> {
  const { context, ahead, pending, removed } = tree
  const { resource } = dependent
  const known = ahead.of(parent)
  if (known !== undefined) {
    const found = known.referrers.get(dependent) ?? none
    const soft = isSoftBelow(parent, dependent)
    if (!found.rows.some((stored) => removed.isOnlyMarked({ resource, stored, soft }))) return found
  }
  await pending.flush()
  const parents = { ...parent, rows: [parent.stored] }
  const found = await findDependents(context, dependent, parents, mostOf(tree))
  if (found === 'tooMany') throw tooManyOf(tree, resource)
  return found
}

const none: FoundRows = { rows: [], links: [] }
