// Changes existing records: PATCH, PUT and restore (docs/writing.md).

import { notDeleted, recordNotFound } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { refuseDeletedReferences } from '../check/deleted-references.ts'
import { checkPrecondition } from '../check/preconditions.ts'
import { addOtherForms, requireAccess } from '../check/write-checks.ts'
import { lockLinked } from '../links/lock-linked.ts'
import { requireListAccess } from '../links/write-links.ts'
import { isDeleted } from '../nodes/is-deleted.ts'
import { isNested, type RecordNode, type Values } from '../nodes/node.ts'
import { lockForChanges } from '../resolve/lock-for-changes.ts'
import { lockedRecord } from '../resolve/look-up-records.ts'
import { requestedChanges } from '../resolve/requested-changes.ts'
import { columnsToRead } from './columns-to-read.ts'
import { type ChangeOptions, ChangeStep } from './lists/many-step.ts'
import { writeMany } from './lists/write-many.ts'
import { changeStored } from './save.ts'
import type { Precondition, WriteContext } from './write-context.ts'

interface ChangeByKey extends ChangeOptions {
  readonly action: 'PATCH' | 'PUT'
  readonly precondition?: Precondition | undefined
}

/**
 * Changes one record by its key; returns its values, at least the key. Throws 404 if the caller sees none, 412 if the precondition
 * fails, and 428 if the model requires another one.
 */
export async function changeRecord(
  context: WriteContext,
  node: RecordNode,
  key: readonly Value[],
  { action, replace = false, touches = true, precondition }: ChangeByKey,
): Promise<Values> {
  const { resource } = node
  await requireAccess(context, resource, action)
  if (node.children.length > 0) await requireListAccess(context, [node])
  const lockedFor = lockForChanges(context, resource, [node], { replace })
  await lockLinked(context, resource, [node], [key])
  const use = { kind: 'change', nodes: [node], replace, touches, precondition } as const
  const read = columnsToRead(context, resource, use)
  const stored = await lockedRecord(context, resource, key, action, lockedFor, { read })
  if (stored === undefined) {
    addOtherForms(context.problems, [node])
    context.problems.refuse()
    throw recordNotFound()
  }
  checkPrecondition(resource, precondition, stored)
  if (!isNested(node)) {
    const changes = await requestedChanges(context, node, stored, { replace })
    return changeStored(context, resource, stored, changes, node.path, touches)
  }
  const step = new ChangeStep(node, stored, { replace, touches })
  const [saved = stored] = await writeMany(context, resource, [step])
  return saved
}

/** Undoes a soft delete; throws 409 if the record is not deleted. */
export async function restoreRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  precondition?: Precondition,
): Promise<void> {
  const { softDelete } = resource.settings
  if (softDelete === null) throw recordNotFound()
  await requireAccess(context, resource, 'RESTORE')
  const lockedFor = lockForChanges(context, resource, [])
  const read = columnsToRead(context, resource, { kind: 'restore', precondition })
  const options = { read, includeDeleted: true }
  const stored = await lockedRecord(context, resource, key, 'RESTORE', lockedFor, options)
  if (stored === undefined) throw recordNotFound()
  checkPrecondition(resource, precondition, stored)
  if (!isDeleted(resource, stored)) throw notDeleted()
  await refuseDeletedReferences(context, resource, stored)
  const active = { [softDelete.attribute]: softDelete.active }
  await changeStored(context, resource, stored, active, '')
}
