// restoreRecord: undoes a soft delete (docs/guide/writing.md).

import { notDeleted, recordNotFound } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { refuseDeletedReferences } from '../check/deleted-references.ts'
import { checkPrecondition } from '../check/preconditions.ts'
import { requireAccess } from '../check/write-checks.ts'
import { isDeleted } from '../nodes/is-deleted.ts'
import { lockForChanges } from '../resolve/lock-for-changes.ts'
import { lockedRecord } from '../resolve/look-up-records.ts'
import { columnsToRead } from './columns-to-read.ts'
import { changeStored } from './save.ts'
import type { Precondition, WriteContext } from './write-context.ts'

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
