// The transaction of a batch, and the explanation of errors of the database in it.

import type { Lease, Work } from '../../database/leases/lease.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { noScopes } from '../../query/compile/scopes.ts'
import { explained, type Warned } from '../../write/refusals/explained-error.ts'
import { type Probe, writeRefusalOf } from '../../write/refusals/refusal.ts'
import { inSavepoint, rollBackTo, setSavepoint } from '../../write/store/savepoint.ts'
import type { WriteContext } from '../../write/store/write-context.ts'

/**
 * Runs `work` in a transaction, which is retried after conflicts. In a transaction of the host, which stays open, rolls back to a
 * savepoint if `work` fails.
 */
export function inBatchTransaction<T>(lease: Lease, own: AnyDatabase, work: Work<T>): Promise<T> {
  return lease.inTransaction(
    (inside, transaction) =>
      own.isTransaction
        ? inSavepoint(inside, 'batch', (one) => work(one, transaction))
        : work(inside, transaction),
    own,
  )
}

/** Makes a `Probe` on the connection of a transaction. */
export const probeOn = (lease: Lease): Probe => {
  const { db, dialect } = lease
  return { lease, target: { db, dialect, scopes: noScopes } }
}

/**
 * Runs an operation. If the database refuses it, `repeat` ends the attempt, which has set no savepoint; without `repeat`, undoes the
 * operation and throws the error that explains the refusal.
 */
export async function explaining<T>(
  host: Warned,
  probe: Probe & Pick<WriteContext, 'repeat'>,
  run: () => MaybePromise<T>,
): Promise<T> {
  // Sets none if there is `repeat`.
  await setSavepoint(probe, 'operation')
  try {
    return await run()
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    // With `repeat`, this throws, to begin the batch again.
    await rollBackTo(probe, 'operation')
    throw await explained(host, probe, error)
  }
}
