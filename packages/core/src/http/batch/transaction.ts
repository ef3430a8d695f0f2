// The transaction of a batch, and the explanation of errors of the database in it.

import type { Bounds } from '../../database/statements/bounds.ts'
import { inTransaction } from '../../database/transactions/transaction.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { noScopes } from '../../query/compile/scopes.ts'
import { type Probe, refusalOf } from '../../write/refusals/refusal.ts'
import { rollBackTo, setSavepoint } from '../../write/store/savepoint.ts'
import type { Runtime } from '../call/call.ts'
import { explained } from '../endpoints/writes/stages.ts'
import type { Timing } from '../server-timing.ts'

interface TransactionParts {
  readonly dialect: InternalDialect
  readonly bounds: Bounds
  readonly timing: Timing | undefined
}

/**
 * Runs `work` in a transaction, which is retried after conflicts. In a transaction of the host, which stays open, rolls back to a
 * savepoint if `work` fails.
 */
export function inBatchTransaction<T>(
  own: AnyDatabase,
  { dialect, bounds, timing }: TransactionParts,
  work: (transaction: AnyDatabase) => Promise<T>,
): Promise<T> {
  const inside = async (transaction: AnyDatabase): Promise<T> => {
    if (!own.isTransaction) return work(transaction)
    const probe = probeOn(transaction, dialect, timing)
    await setSavepoint(probe, 'batch')
    try {
      return await work(transaction)
    } catch (error) {
      await rollBackTo(probe, 'batch')
      throw error
    }
  }
  if (timing === undefined) return inTransaction(own, dialect, bounds, inside)
  return timing.database(() =>
    inTransaction(own, dialect, bounds, (transaction) => timing.ownWork(() => inside(transaction))),
  )
}

/** Makes a `Probe` on the connection of a transaction. */
export function probeOn(
  transaction: AnyDatabase,
  dialect: InternalDialect,
  timing: Timing | undefined,
): Probe {
  const db = transaction.withoutPlugins()
  return { connection: { db, dialect, timing }, target: { db, dialect, scopes: noScopes } }
}

/** Runs an operation; if the database refuses it, undoes it and throws the error that explains the refusal. */
export async function explaining<T>(
  runtime: Runtime,
  probe: Probe,
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
