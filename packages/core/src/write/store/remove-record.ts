// Deletes one record, or the records of links (docs/writing.md).

import { recordNotFound } from '../../errors.ts'
import { dependentsOf } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { checkPrecondition, refuseWithoutVersion } from '../check/preconditions.ts'
import { requireAccess } from '../check/write-checks.ts'
import type { Values } from '../nodes/node.ts'
import { removalsOfLinks, removing, treeOf } from '../removal/removals.ts'
import { removeTree } from '../removal/remove-tree.ts'
import { linksToRemove } from '../removal/removed-links.ts'
import { keyIn, lockedRecord } from '../resolve/look-up-records.ts'
import {
  compileDeleteByKeys,
  compileUpdateByKeys,
  recordsByKeys,
} from '../statements/statements-by-keys.ts'
import { columnsToRead } from './columns-to-read.ts'
import { deletionMark } from './deletion-marks.ts'
import { GroupSize } from './lists/look-ahead/group-size.ts'
import { runWrite } from './run-write.ts'
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
  const stored = await lockedRecord(context, resource, key, 'DELETE', 'anyChange', { read })
  if (stored === undefined) throw recordNotFound()
  checkPrecondition(resource, precondition, stored)
  const links = await linksToRemove(context, resource, [stored], soft)
  await removing(context, resource, cascade, async (removals) => {
    await removals.ahead.lookUp({ resource, rows: [stored], soft }, 0, new GroupSize('all'))
    await removeTree(treeOf(removals, resource), { resource, stored, soft }, links)
  })
}

/**
 * Deletes the records of links, which the caller sees, and which were read with the columns for a removal; throws 428 if their model requires If-Match. One by one, if functions of the host
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
  const isOneByOne =
    softDelete === null
      ? dependentsOf(registry, resource).length > 0
      : softDelete.deleted.kind === 'function'
  if (isOneByOne || access.hasHook(resource, 'can_delete') || hooks.has(resource, 'remove')) {
    const removals = removalsOfLinks(context, path)
    const soft = softDelete !== null
    const links = await linksToRemove(context, resource, rows, soft)
    for (const stored of rows) {
      const record = { resource, stored, soft }
      // Two lists of the body may belong to one record.
      if (!removals.removed.has(record)) {
        await removeTree(treeOf(removals, resource), record, links)
      }
    }
    return
  }
  const all = rows.flatMap((row) => [keyIn(resource, row) ?? []])
  for (const keys of keyChunks(target.dialect, all, resource.primaryKey)) {
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
  for (const row of rows) context.changes?.note(resource, row, row, path === '' ? null : path)
}
