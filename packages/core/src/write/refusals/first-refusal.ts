// refusalOfFirst: finds the row for which the database has refused a statement on several rows, by writing them again in smaller parts.

import { rollBackTo, setSavepoint } from '../store/savepoint.ts'
import type { WriteContext } from '../store/write-context.ts'
import { explainRefusal } from './explain-refusal.ts'
import { refusedWrite, writeRefusalOf } from './refusal.ts'

/** Writes rows: several with one statement, or a single row with the statement for one row. */
export type WriteSome<R> = (rows: readonly R[]) => Promise<unknown>

/**
 * Rolls back to the savepoint, and searches by bisection: calls `writeRows` with halves of the rows. Returns the refusal of the first
 * row that is refused even alone; undefined if there is none, and then all rows are written.
 *
 * Finds the API error while the rows before the refused one are written, because the refused row may conflict with one of them.
 */
export async function refusalOfFirst<R>(
  context: WriteContext,
  all: readonly R[],
  writeRows: WriteSome<R>,
): Promise<Error | undefined> {
  await rollBackTo(context)
  let rows = all
  while (rows.length > 0) {
    const half = rows.length === 1 ? rows : rows.slice(0, rows.length >> 1)
    const error = await tryToWrite(context, half, writeRows)
    const refusal = writeRefusalOf(error)
    if (refusal === undefined) rows = rows.slice(half.length)
    else if (half.length > 1) rows = half
    else
      return refusedWrite({ ...refusal, explained: await explainRefusal(context, refusal) }, error)
  }
  return undefined
}

/** Writes the rows; if they are refused, rolls back to the savepoint and returns the error. */
async function tryToWrite<R>(
  context: WriteContext,
  rows: readonly R[],
  writeRows: WriteSome<R>,
): Promise<unknown> {
  await setSavepoint(context)
  try {
    await writeRows(rows)
    return undefined
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    await rollBackTo(context)
    return error
  }
}
