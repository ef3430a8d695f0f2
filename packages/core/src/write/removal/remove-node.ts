// removeNode: calls the hooks of a record that is removed, after those of its dependents, or throws 409 if these prevent it
// (docs/guide/writing.md). It is the hooks step of a removal, called by `segments/call-hooks.ts`, and adds all rows to write;
// `store/rows/remove-rows.ts` writes them.

import { forbidden } from '../../errors.ts'
import {
  actionOn,
  type Dependent,
  type DependentModel,
  hasModel,
  referredColumns,
  removalReach,
} from '../../model/registry/relations/dependents.ts'
import { keyFromRow } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import { optionsForRemoval, removalOf, WriteNode } from '../nodes/write-node.ts'
import { deletionMark } from '../store/deletion-marks.ts'
import { referrersFirst } from '../store/rows/referrers-first.ts'
import { RemovedLinks, RemovedRow } from '../store/rows/rows.ts'
import { addWithItsCycle, noteCycles } from './break-cycles.ts'
import { emptyReferences } from './empty-references.ts'
import { type FoundRows, findDependents } from './find-dependents.ts'
import { findRemoved } from './find-referrers.ts'
import { referredToError, referrersRemovedToo } from './referred-to.ts'
import type { RemovalContext } from './removal-context.ts'
import { removalOrder } from './removal-order.ts'
import { howBelow, idOf, type RemovalEffect } from './removal-types.ts'
import { BegunRemoval } from './removals.ts'
import { linksLeft, noteRemovedLinks } from './removed-links.ts'

/** Calls the hooks of a record and, as its model says or in a cascade, those of its dependents first; adds all that is to be stored. */
export async function removeNode(removing: RemovalContext, node: WriteNode): Promise<void> {
  const { removals } = removing
  const { removed, begun, refused } = removals
  const { resource } = node.options
  const { stored = {} } = node
  const id = idOf(resource, stored)
  // A record above this one refers to it, or an earlier one had the same dependent.
  if (begun.has(id) || removed.has(resource, stored, removalOf(node.options).how)) return
  const own = new BegunRemoval(node, removed.now(resource, stored), removals.current)
  // Records of its cycles, if it was refused in an earlier round: their hooks were called in that round, and are not called again.
  own.below = refused.get(id) ?? []
  refused.delete(id)
  begun.set(id, own)
  removals.current = own
  node.stored = own.stored
  try {
    await removeBegun(removing, own)
    addWithItsCycle(removing, own)
  } catch (error) {
    if (own.below.length > 0) refused.set(id, own.below)
    throw error
  } finally {
    begun.delete(id)
    removals.current = own.above
  }
}

/** Asks the policy, removes the dependents, calls the hook, and sets `row` of the node. */
async function removeBegun(removing: RemovalContext, own: BegunRemoval): Promise<void> {
  const { context, removals } = removing
  const { node, resource, stored, how, above } = own
  const { path } = node
  removals.count(resource, stored)
  const isAllowed = await context.access.canDelete(resource, stored, path)
  if (!isAllowed) throw forbidden(path)
  const height = await removeReferrers(removing, own)
  await context.hooks.remove(resource, stored, path)
  const { softDelete } = resource.settings
  const mark =
    how === 'mark' && softDelete !== null
      ? await deletionMark(context, resource, softDelete, stored)
      : null
  node.row = new RemovedRow(stored, mark, height)
  removals.removed.add(resource, stored, how, height)
  // The body names no dependents.
  context.changes?.note(resource, stored, stored, above === undefined ? path : null)
  context.users?.removed(resource, stored)
  noteRemovedLinks(context, resource, stored, removing.links, removals.goneLinks)
}

/**
 * Removes the dependents of a record, or sets their references to NULL; throws 409 if there are others. A soft delete leaves those. A hard
 * delete also deletes the record's links in junction tables without a model, which never prevent it. Returns the height of the record
 * above those that are removed before it.
 */
async function removeReferrers(removing: RemovalContext, own: BegunRemoval): Promise<number> {
  const { context, removals } = removing
  const { node, resource, stored, how } = own
  const { path } = node
  const { cascade, removed } = removals
  const blocking: Dependent[] = []
  const links: RemovedLinks[] = []
  let height = 0
  const refuseIfBlocked = async (): Promise<void> => {
    if (blocking.length > 0)
      throw await referredToError(context, blocking, path, { mentionsDeleted: true })
  }
  const { dependents, isSorted } = removalOrder(context.registry, resource, cascade)
  for (const dependent of dependents) {
    const key = keyFromRow(referredColumns(dependent), stored)
    if (key === undefined) continue
    if (!hasModel(dependent)) {
      links.push(new RemovedLinks(dependent, key))
      continue
    }
    const action = actionOn(dependent, cascade)
    /** The rows that refer to the record and no longer prevent its deletion. */
    let referrers: readonly Values[] | 'blocking' = []
    if (action === 'restrict') {
      if (how === 'delete') referrers = await referrersLeft(removing, node, stored, dependent)
      if (referrers === 'blocking' && (await areRemovedTogether(removing, own, dependent)))
        referrers = await removeBefore(removing, node, stored, dependent)
    } else {
      await refuseIfBlocked()
      const found = await dependentRows(removing, node, stored, dependent, action)
      if (action === 'null') await emptyReferences(removing, node, stored, dependent, found.rows)
      else await removeDependents(removing, node, dependent, found, isSorted)
      referrers = found.rows
    }
    if (referrers === 'blocking') blocking.push(dependent)
    else {
      noteCycles(removing, own, dependent, referrers)
      height = Math.max(height, removed.heightAbove(dependent.resource, referrers))
    }
  }
  await refuseIfBlocked()
  if (how === 'delete')
    for (const linksOfTable of links) removing.add(linksNode(node, linksOfTable))
  return height
}

/** The node that deletes links. It is stored before the hook of their record is called. */
function linksNode({ options, path }: WriteNode, links: RemovedLinks): WriteNode {
  const node = new WriteNode(options, { path })
  node.row = links
  return node
}

/** The rows that refer to the record and are removed with it, or `blocking` if others refer to it. */
async function referrersLeft(
  { context, removals, flush }: RemovalContext,
  { options }: WriteNode,
  stored: Values,
  dependent: DependentModel,
): Promise<readonly Values[] | 'blocking'> {
  const { resource } = dependent
  const { removed, begun } = removals
  const known = removals.knownOf(options.resource, stored, 'delete')
  if (known !== undefined) {
    const rows = known.referrers.get(dependent)?.rows ?? []
    const isLeft = (row: Values): boolean =>
      !removed.has(resource, row, 'delete') && !begun.has(idOf(resource, row))
    return rows.some(isLeft) ? 'blocking' : rows
  }
  await flush()
  return referrersRemovedToo(context, options.resource, stored, dependent, removals)
}

/**
 * Whether all rows that refer to the begun record `own` are removed with the first record, that of the list, although they prevent the
 * removal of `own` alone.
 */
async function areRemovedTogether(
  { context, removals, flush }: RemovalContext,
  own: BegunRemoval,
  dependent: DependentModel,
): Promise<boolean> {
  const { cascade } = removals
  let first = own
  while (first.above !== undefined) first = first.above
  const { resource, stored, how } = first
  const { registry } = context
  if (!removalReach(registry, resource, { cascade }).deleted.has(dependent.resource)) return false
  await flush()
  const together = await removals.removedWith(first, async () => {
    const found = await findRemoved(context, { resource, how, rows: [stored] }, cascade)
    if (found === 'tooMany') throw removals.tooManyOf(resource)
    return found
  })
  const { resource: referred, stored: row } = own
  return (
    (await referrersRemovedToo(context, referred, row, dependent, removals, together)) !==
    'blocking'
  )
}

/** Removes the rows that refer to a record and are removed with the first one, before it. */
async function removeBefore(
  removing: RemovalContext,
  { options, path }: WriteNode,
  stored: Values,
  dependent: DependentModel,
): Promise<readonly Values[]> {
  const { context, removals } = removing
  const parents = { resource: options.resource, how: 'delete', rows: [stored] } as const
  const found = await findDependents(context, dependent, 'cascade', parents, removals.most, path)
  if (found === 'tooMany') throw removals.tooManyOf(dependent.resource)
  const node = new WriteNode(options, { path, stored })
  const isSorted = true
  await removeDependents(removing, node, dependent, found, isSorted)
  return found.rows
}

/**
 * Removes the dependents of a record, each with the access rules of its model. `isSorted`: those that refer to others of them come first,
 * because they may prevent the removal of those.
 */
async function removeDependents(
  { context, removals, remove }: RemovalContext,
  { options, path }: WriteNode,
  dependent: DependentModel,
  { rows, links }: FoundRows,
  isSorted: boolean,
): Promise<void> {
  const { resource } = dependent
  const { removed, cascade } = removals
  const how = howBelow(removalOf(options).how, dependent)
  const rowsLeft = rows.filter((stored) => !removed.has(resource, stored, how))
  if (rowsLeft.length > removals.most) throw removals.tooManyOf(resource)
  const below = optionsForRemoval(resource, {
    how,
    cascade,
    inRounds: false,
    readsAgain: false,
    whenMissing: 'skip',
  })
  const own = linksLeft(rowsLeft, links, removals.goneLinks)
  const sorted = isSorted ? referrersFirst(context.registry, resource, rowsLeft) : rowsLeft
  const nodes = sorted.map((stored) => {
    const node = new WriteNode(below, { path, stored })
    node.decision = 'remove'
    return node
  })
  await remove(nodes, own)
}

/** The dependents of a record: those that the look-ahead has found, unless this request has marked one of them since. */
async function dependentRows(
  { context, removals, flush }: RemovalContext,
  { options, path }: WriteNode,
  stored: Values,
  dependent: DependentModel,
  action: RemovalEffect,
): Promise<FoundRows> {
  const { resource } = dependent
  const { removed } = removals
  const { how } = removalOf(options)
  const known = removals.knownOf(options.resource, stored, how)
  if (known !== undefined) {
    const found = known.referrers.get(dependent) ?? none
    const below = howBelow(how, dependent)
    if (!found.rows.some((row) => removed.isOnlyMarked(resource, row, below))) return found
  }
  await flush()
  const parents = { resource: options.resource, how, rows: [stored] }
  const found = await findDependents(context, dependent, action, parents, removals.most, path)
  if (found === 'tooMany') throw removals.tooManyOf(resource)
  return found
}

const none: FoundRows = { rows: [], links: [] }
