// The transaction of a batch, and the explanation of errors of the database in it.

import type { Lease, Work } from '../../database/leases/lease.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { noScopes } from '../../query/compile/scopes.ts'
import { errorForClient, type WarningSink } from '../../write/refusals/explained-error.ts'
import { type RefusalConnection, writeRefusalOf } from '../../write/refusals/refusal.ts'
import { inSavepoint, rollBackTo, setSavepoint } from '../../write/store/savepoint.ts'
import type { WriteContext } from '../../write/store/write-context.ts'

/**
 * Runs the operations of a batch (`work`) so that either all or none are stored: in a transaction, which is retried after conflicts. If
 * `outer` is a transaction of the host, that stays open, and a failure rolls back to a savepoint in it.
 */
export function inBatchTransaction<T>(lease: Lease, outer: AnyDatabase, work: Work<T>): Promise<T> {
  return lease.inTransaction(
    (inside, transaction) =>
      outer.isTransaction
        ? inSavepoint(inside, 'batch', (saved) => work(saved, transaction))
        : work(inside, transaction),
    outer,
  )
}

/** Makes a `RefusalConnection`, by which a refusal is explained with queries on the same connection, without access rules. */
export const probeOn = (lease: Lease): RefusalConnection => {
  const { db, dialect } = lease
  return { lease, target: { db, dialect, scopes: noScopes } }
}

/**
 * Runs an operation, so that a refusal of the database (a violated constraint) becomes the error that explains it. The first attempt of a
 * batch sets no savepoints: `repeat` is present, and a refusal repeats the whole batch with them. In that second attempt `repeat` is absent:
 * the operation is rolled back to its savepoint, and its refusal explained.
 */
export async function explaining<T>(
  warnings: WarningSink,
  probe: RefusalConnection & Pick<WriteContext, 'repeat'>,
  run: () => MaybePromise<T>,
): Promise<T> {
  // Does nothing if there is `repeat`.
  await setSavepoint(probe, 'operation')
  try {
    return await run()
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    // With `repeat`, this throws, to begin the batch again.
    await rollBackTo(probe, 'operation')
    throw await errorForClient(warnings, probe, error)
  }
}
