// The transaction of a batch, and the explanation of errors of the database in it.

import type { Lease, Work } from '../../database/leases/lease.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { noScopes } from '../../query/compile/scopes.ts'
import { explained } from '../../write/refusals/explained-error.ts'
import { type Probe, refusalOf } from '../../write/refusals/refusal.ts'
import { rollBackTo, setSavepoint } from '../../write/store/savepoint.ts'
import type { WriteContext } from '../../write/store/write-context.ts'
import type { Runtime } from '../call/call.ts'

/**
 * Runs `work` in a transaction, which is retried after conflicts. In a transaction of the host, which stays open, rolls back to a
 * savepoint if `work` fails.
 */
export function inBatchTransaction<T>(lease: Lease, own: AnyDatabase, work: Work<T>): Promise<T> {
  return lease.inTransaction(async (inside, transaction) => {
    if (!own.isTransaction) return work(inside, transaction)
    const context = { lease: inside }
    await setSavepoint(context, 'batch')
    try {
      return await work(inside, transaction)
    } catch (error) {
      await rollBackTo(context, 'batch')
      throw error
    }
  }, own)
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
  runtime: Runtime,
  probe: Probe & Pick<WriteContext, 'repeat'>,
  run: () => MaybePromise<T>,
): Promise<T> {
  await setSavepoint(probe, 'operation')
  try {
    return await run()
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    await rollBackTo(probe, 'operation')
    throw await explained(runtime, probe, error)
  }
}
