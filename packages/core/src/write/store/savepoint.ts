// Savepoints: set before a statement that may be refused, so that another attempt can start from there. A list is first written
// without them, because most lists are not refused: `WriteContext.repeat` then begins the transaction again, with them.

import { deferredError } from '../../database/leases/in-transaction.ts'
import type { Lease } from '../../database/leases/lease.ts'
import { atFreeLevel } from '../../database/leases/savepoint-level.ts'
import { unavailable } from '../../database/statements/unavailable.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { WriteContext } from './write-context.ts'

/** The connection inside a transaction; with `repeat`, no savepoints are set. */
type Inside = Pick<WriteContext, 'lease'> & Partial<Pick<WriteContext, 'repeat'>>

/**
 * `write`: inside one write; `operation`: before an operation of a batch; `batch`: before a batch in a transaction of the host; `request`:
 * before a write of the client in the process, in such a transaction.
 */
export type SavepointName = 'write' | 'operation' | 'batch' | 'request'

const names = {
  write: 'model_api',
  operation: 'model_api_operation',
  batch: 'model_api_batch',
  request: 'model_api_request',
} as const

/** Work inside another savepoint has its own names, because MySQL and MariaDB remove an earlier savepoint of the same name. */
const named = ({ lease: { level } }: Inside, name: SavepointName): Fragment =>
  sql.id(level === 0 ? names[name] : `${names[name]}_${level}`)

/** Sets the savepoint, which replaces an earlier one of the same name. Does nothing if the write sets no savepoints. */
export async function setSavepoint(context: Inside, name: SavepointName = 'write'): Promise<void> {
  if (context.repeat === undefined)
    await sendSavepoint(context, sql`savepoint ${named(context, name)}`)
}

/** Rolls back to the savepoint, which remains set. If the write sets no savepoints, repeats its transaction from BEGIN with them. */
export async function rollBackTo(context: Inside, name: SavepointName = 'write'): Promise<void> {
  context.repeat?.()
  await sendSavepoint(context, sql`rollback to savepoint ${named(context, name)}`)
}

/** Runs work of which nothing is stored if it fails, in a transaction that goes on. The work receives the lease that it has to use. */
export const inSavepoint = <T>(
  outside: Lease,
  name: SavepointName,
  work: (lease: Lease) => Promise<T>,
): Promise<T> =>
  atFreeLevel(outside, async (lease) => {
    const context = { lease }
    const release = () => sendSavepoint(context, sql`release savepoint ${named(context, name)}`)
    await setSavepoint(context, name)
    let result: T
    try {
      result = await work(lease)
    } catch (error) {
      try {
        await rollBackTo(context, name)
        await release()
      } catch (failure) {
        // The database has ended the transaction, and the savepoint with it, for the reason that `error` tells.
        if (outside.dialect.classify(failure).ended !== true) throw failure
      }
      throw error
    }
    await release()
    return result
  })

/** Sends a statement of savepoints; if the database has ended the transaction meanwhile, the write may be repeated. */
async function sendSavepoint({ lease }: Inside, statement: Fragment): Promise<void> {
  try {
    await lease.send(statement)
  } catch (error) {
    if (lease.dialect.classify(error).ended === true) throw unavailable(error, 'retry')
    // A refusal has ended the transaction by itself, as `raise(rollback, …)` of SQLite does.
    throw deferredError(lease.dialect, error)
  }
}
