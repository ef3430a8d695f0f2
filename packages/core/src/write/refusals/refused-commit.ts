// refuseDeferred: finds the record that violates a constraint which the database checks only at COMMIT (`deferrable initially deferred`).
// The write, or the batch, is made again after the refused COMMIT, and calls this before its next COMMIT.

import type { DatabaseFailure } from '../../dialect/dialect.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { storedRecords } from '../resolve/stored-changes.ts'
import type { WrittenRecord } from '../store/change-log.ts'
import type { WriteContext } from '../store/write-context.ts'
import { breaksConstraint, explainRefusal } from './explain-refusal.ts'
import { refusedWrite, type WriteRefusal } from './refusal.ts'

/** The search for the record that violates a deferred constraint. */
export interface DeferredCheck {
  /** How the database has refused COMMIT in an earlier attempt. */
  readonly failure: DatabaseFailure
  /** Takes the write of an operation, whose records are checked before COMMIT. */
  add(context: WriteContext): void
}

/** One of the writes of the transaction; a batch has several. */
interface TransactionWrite {
  readonly context: WriteContext
}

/**
 * Throws the refusal of the first written record that violates a constraint at the end of the transaction, after COMMIT was refused with
 * `failure` and all was written again; `found` is called with its write. If records were deleted, and no written one violates a
 * constraint, other records refer to them. Does nothing if the record cannot be told; COMMIT is then refused again, and its error names no
 * field. Of the operations of a batch, the last one that wrote a record counts.
 */
export async function refuseDeferred<W extends TransactionWrite>(
  writes: readonly W[],
  failure: DatabaseFailure,
  found: (write: W) => void = () => {},
): Promise<void> {
  const stillStored: (readonly [W, WriteRefusal])[] = []
  const deleted: (readonly [W, WriteRefusal])[] = []
  for (const [i, write] of writes.entries()) {
    const later = writes.slice(i + 1)
    for (const [resource, records] of write.context.changes?.written ?? []) {
      const stored = await storedRecords(write.context, resource, [...records.values()])
      for (const [text, record] of records) {
        if (isWrittenLater(later, resource, text)) continue
        const values = stored.get(text)
        const refusal = refusalFor(failure, resource, record)
        if (values === undefined) deleted.push([write, { ...refusal, step: 'delete' }])
        else stillStored.push([write, { ...refusal, values }])
      }
    }
  }
  const refuse = async ([write, refusal]: readonly [W, WriteRefusal]): Promise<never> => {
    found(write)
    const explained = await explainRefusal(write.context, refusal)
    throw refusedWrite({ ...refusal, explained }, new Error('COMMIT was refused.'))
  }
  for (const [write, refusal] of stillStored) {
    if (await breaksConstraint(write.context, refusal)) await refuse([write, refusal])
  }
  // Only the database knows whether a record breaks another rule, such as EXCLUDE.
  const [first, ...others] = failure.kind === 'foreignKey' ? deleted.slice(0, 1) : stillStored
  if (first !== undefined && others.length === 0) await refuse(first)
}

/** Whether a later write of the transaction has written the record, too. */
const isWrittenLater = (
  later: readonly TransactionWrite[],
  resource: Resource,
  key: string,
): boolean =>
  later.some(({ context: { changes } }) => changes?.written.get(resource)?.has(key) === true)

/** The refusal of COMMIT as one of this record. */
const refusalFor = (
  failure: DatabaseFailure,
  resource: Resource,
  { key, path, before }: WrittenRecord,
): WriteRefusal => ({
  failure,
  step: 'update',
  resource,
  path: path ?? '',
  values: {},
  key,
  before,
})
