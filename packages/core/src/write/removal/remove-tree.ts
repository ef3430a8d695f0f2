// removeTree: deletes a record after its dependents, or throws 409 if these prevent it (docs/guide/writing.md).

import { forbidden } from '../../errors.ts'
import {
  actionOn,
  type Dependent,
  type DependentModel,
  hasModel,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import { refuseWithoutVersion } from '../check/preconditions.ts'
import type { Values } from '../nodes/node.ts'
import { keyIn, valuesOf } from '../resolve/look-up-records.ts'
import { GroupSize } from '../segments/group-size.ts'
import { deletionMark } from '../store/deletion-marks.ts'
import { referrersFirst } from '../store/rows/referrers-first.ts'
import { emptyReferences } from './empty-references.ts'
import { type FoundRows, findDependents } from './find-dependents.ts'
import { inRounds } from './in-rounds.ts'
import { PendingLinks, PendingRow } from './pending-removals.ts'
import { isReferredTo, referredToError } from './referred-to.ts'
import { removalOrder } from './removal-order.ts'
import { count, mostOf, type Tree, tooManyOf } from './removals.ts'
import { type LinksToRemove, linksLeft, noteRemovedLinks } from './removed-links.ts'
import { type Action, idOf, isSoftBelow, type ToRemove } from './to-remove.ts'

/**
 * Deletes a record and, as its model says or in a cascade, its dependents first. `links` has the links of the record, and maybe those of
 * others.
 */
export async function removeTree(
  tree: Tree,
  record: ToRemove,
  links: LinksToRemove,
): Promise<void> {
  const { begun, removed } = tree
  const id = idOf(record.resource, record.stored)
  // A record above this one refers to it, or an earlier one had the same dependent.
  if (begun.has(id) || removed.has(record)) return
  begun.add(id)
  try {
    await removeBegun(
      tree,
      { ...record, stored: removed.now(record.resource, record.stored) },
      links,
    )
  } finally {
    begun.delete(id)
  }
}

async function removeBegun(tree: Tree, record: ToRemove, links: LinksToRemove): Promise<void> {
  const { context, begun, path } = tree
  const { resource, stored, soft } = record
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const isDependent = begun.size > 1
  count(tree, resource, stored)
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
 * Deletes the dependents of a record, or sets their references to NULL; throws 409 if there are others. A soft delete leaves those. A hard
 * delete also deletes the record's links in junction tables without a model, which never prevent it. Returns the height of the record
 * above those that are deleted before it.
 */
async function removeReferrers(tree: Tree, record: ToRemove): Promise<number> {
  const { context, cascade, pending, removed } = tree
  const { resource, stored, soft } = record
  const blocking: Dependent[] = []
  const links: PendingLinks[] = []
  let height = 0
  const refuse = async (): Promise<void> => {
    if (blocking.length > 0) throw await referredToError(context, blocking, true)
  }
  const { dependents, mayWait } = removalOrder(context.registry, resource, cascade)
  for (const dependent of dependents) {
    const key = valuesOf(referredColumns(dependent), stored)
    if (key === undefined) continue
    if (!hasModel(dependent)) {
      links.push(new PendingLinks(resource, dependent, key))
      continue
    }
    const action = actionOn(dependent, cascade)
    let referrers: readonly Values[] | 'blocking' = []
    if (action === 'restrict') referrers = soft ? [] : await referrersLeft(tree, record, dependent)
    else {
      await refuse()
      const found = await dependentRows(tree, record, dependent, action)
      if (action === 'null') await emptyReferences(tree, record, dependent, found.rows)
      else await removeDependents(tree, record, dependent, found, mayWait)
      referrers = found.rows
    }
    if (referrers === 'blocking') blocking.push(dependent)
    else height = Math.max(height, removed.heightAbove(dependent.resource, referrers))
  }
  await refuse()
  if (!soft) for (const one of links) await pending.add(one)
  return height
}

/** The rows that refer to the record and are deleted already, or `blocking` if others refer to it, except those above it in the tree. */
async function referrersLeft(
  { context, ahead, pending, removed, begun }: Tree,
  record: ToRemove,
  dependent: DependentModel,
): Promise<readonly Values[] | 'blocking'> {
  const { resource } = dependent
  const known = ahead.of(record)
  if (known !== undefined) {
    const rows = known.referrers.get(dependent)?.rows ?? []
    const isLeft = (stored: Values): boolean =>
      !removed.has({ resource, stored, soft: false }) && !begun.has(idOf(resource, stored))
    return rows.some(isLeft) ? 'blocking' : rows
  }
  await pending.flush()
  return (await isReferredTo(context, record, dependent, begun)) ? 'blocking' : []
}

/** Deletes the dependents of a record, each with the access rules of its model. */
async function removeDependents(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
  found: FoundRows,
  mayWait: boolean,
): Promise<void> {
  const { context, ahead, removed } = tree
  const { resource } = dependent
  const soft = isSoftBelow(parent, dependent)
  const left = found.rows.filter((stored) => !removed.has({ resource, stored, soft }))
  if (left.length > mostOf(tree)) throw tooManyOf(tree, resource)
  const links = linksLeft(left, found.links, tree.goneLinks)
  const groups = new GroupSize(1)
  const remove = async (rows: readonly Values[], index: number): Promise<void> => {
    await ahead.lookUp({ resource, rows, soft }, index, groups)
    await removeTree(tree, { resource, stored: rows[index] as Values, soft }, links)
  }
  if (mayWait) await inRounds(referrersFirst(context.registry, resource, left), remove)
  else for (const index of left.keys()) await remove(left, index)
}

/** The dependents of a record: those that the look-ahead has found, unless this request has marked one of them since. */
async function dependentRows(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
  action: Action,
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
  const found = await findDependents(context, dependent, action, parents, mostOf(tree))
  if (found === 'tooMany') throw tooManyOf(tree, resource)
  return found
}

const none: FoundRows = { rows: [], links: [] }
