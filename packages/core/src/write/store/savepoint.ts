// Savepoints: set before a statement that may be refused, so that another attempt can start from there. A list is first written
// without them, because most lists are not refused.

import { deferredError } from '../../database/leases/in-transaction.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { WriteContext } from './write-context.ts'

type Inside = Pick<WriteContext, 'lease'> & Partial<Pick<WriteContext, 'repeat'>>

/** `write`: inside one write; `operation`: before an operation of a batch; `batch`: before a batch in a transaction of the host. */
export type SavepointName = 'write' | 'operation' | 'batch'

const names = {
  write: sql.id('model_api'),
  operation: sql.id('model_api_operation'),
  batch: sql.id('model_api_batch'),
} as const

/** Sets the savepoint, which replaces an earlier one of the same name. Does nothing if the write sets no savepoints. */
export async function setSavepoint(context: Inside, name: SavepointName = 'write'): Promise<void> {
  if (context.repeat === undefined) await send(context, sql`savepoint ${names[name]}`)
}

/** Rolls back to the savepoint, which remains set. */
export async function rollBackTo(context: Inside, name: SavepointName = 'write'): Promise<void> {
  context.repeat?.()
  await send(context, sql`rollback to savepoint ${names[name]}`)
}

async function send({ lease }: Inside, statement: Fragment): Promise<void> {
  try {
    await lease.send(statement)
  } catch (error) {
    // A refusal has ended the transaction by itself, as `raise(rollback, …)` of SQLite does.
    throw deferredError(lease.dialect, error)
  }
}
