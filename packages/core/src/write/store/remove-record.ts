// Deletes one record, or the records of links (docs/guide/writing.md).

import { recordNotFound } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { checkPrecondition, refuseWithoutVersion } from '../check/preconditions.ts'
import { requireAccess } from '../check/write-checks.ts'
import type { Values } from '../nodes/node.ts'
import { removing, treeOf } from '../removal/removals.ts'
import { removeTree } from '../removal/remove-tree.ts'
import { linksToRemove } from '../removal/removed-links.ts'
import { lockedRecord } from '../resolve/look-up-records.ts'
import { GroupSize } from '../segments/group-size.ts'
import { columnsToRead } from './columns-to-read.ts'
import type { Precondition, WriteContext } from './write-context.ts'

export interface RemoveOptions {
  readonly cascade: boolean
  readonly precondition?: Precondition | undefined
}

/** Deletes one record by its key. Throws 404 if the caller sees none, 409 if other records refer to it. */
export async function removeRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  { cascade, precondition }: RemoveOptions,
): Promise<void> {
  await requireAccess(context, resource, 'DELETE')
  const soft = resource.settings.softDelete !== null
  const read = columnsToRead(context, resource, { kind: 'remove', soft, precondition })
  const stored = await lockedRecord(context, resource, key, 'DELETE', 'anyChange', {
    read,
    isExact: true,
  })
  if (stored === undefined) throw recordNotFound()
  checkPrecondition(resource, precondition, stored)
  const links = await linksToRemove(context, resource, [stored], soft)
  await removing(context, resource, { cascade, path: '' }, async (removals) => {
    await removals.ahead.lookUp({ resource, rows: [stored], soft }, 0, new GroupSize('all'))
    await removeTree(treeOf(removals, resource), { resource, stored, soft }, links)
  })
}

/**
 * Deletes the records of links, which the caller sees, and which were read with the columns for a removal; throws 428 if their model
 * requires If-Match. `path` is that of the list which no longer names them.
 */
export async function removeStored(
  context: WriteContext,
  resource: Resource,
  rows: readonly Values[],
  path: string,
): Promise<void> {
  if (rows.length === 0) return
  refuseWithoutVersion(resource, path)
  const soft = resource.settings.softDelete !== null
  const links = await linksToRemove(context, resource, rows, soft)
  const { top } = context.removedLinks
  await removing(context, resource, { cascade: false, path }, async (removals) => {
    const groups = new GroupSize('all')
    for (const [i, stored] of rows.entries()) {
      await removals.ahead.lookUp({ resource, rows, soft }, i, groups)
      await removeTree(treeOf(removals, top), { resource, stored, soft }, links)
      removals.pending.refuse()
    }
  })
}
