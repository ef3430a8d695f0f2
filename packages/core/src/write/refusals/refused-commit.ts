// refuseDeferred: finds the record that violates a constraint which the database checks only at COMMIT.

import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { storedRecords } from '../resolve/stored-changes.ts'
import type { WrittenRecord } from '../store/change-log.ts'
import type { WriteContext } from '../store/write-context.ts'
import { breaksConstraint, explainRefusal } from './explain-refusal.ts'
import { type Refusal, refusedWrite } from './refusal.ts'

/** The search for the record that violates a deferred constraint. */
export interface DeferredCheck {
  readonly failure: DatabaseFailure
  /** Takes the write of an operation, whose records are checked before COMMIT. */
  add(context: WriteContext): void
}

/** Whether a later operation of the batch has written the record with this key, given as `keyText`, again. */
export type IsWrittenLater = (resource: Resource, key: string) => boolean

/**
 * Throws the refusal of the first written record that violates a constraint at the end of the transaction, after COMMIT was refused with
 * `failure` and all was written again. If records were deleted, and no written one violates a constraint, other records refer to them.
 * Does nothing if the record cannot be told; COMMIT is then refused again, and its error names no field.
 */
export async function refuseDeferred(
  context: WriteContext,
  failure: DatabaseFailure,
  isWrittenLater: IsWrittenLater = () => false,
): Promise<void> {
  const kept: Refusal[] = []
  let deleted: Refusal | undefined
  for (const [resource, records] of context.changes?.written ?? []) {
    const stored = await storedRecords(context, resource, [...records.values()])
    for (const [text, record] of records) {
      if (isWrittenLater(resource, text)) continue
      const values = stored.get(text)
      const refusal = refusalFor(failure, resource, record)
      if (values === undefined) deleted ??= { ...refusal, step: 'delete' }
      else kept.push({ ...refusal, values })
    }
  }
  for (const refusal of kept) {
    if (await breaksConstraint(context, refusal)) await refuse(context, refusal)
  }
  if (failure.kind === 'foreignKey') {
    if (deleted !== undefined) await refuse(context, deleted)
    return
  }
  // Only the database knows whether a record breaks another rule, such as EXCLUDE.
  const [only, ...others] = kept
  if (only !== undefined && others.length === 0) await refuse(context, only)
}

const refusalFor = (
  failure: DatabaseFailure,
  resource: Resource,
  { key, path }: WrittenRecord,
): Refusal => ({ failure, step: 'update', resource, path: path ?? '', values: {}, key })

async function refuse(context: WriteContext, refusal: Refusal): Promise<never> {
  const explained = await explainRefusal(context, refusal)
  throw refusedWrite({ ...refusal, explained }, new Error('COMMIT was refused.'))
}
