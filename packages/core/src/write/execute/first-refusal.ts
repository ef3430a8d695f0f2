// refusalOfFirst: finds out which row of a statement the database has refused.

import { refusalOf, refusedWrite, type WriteContext } from './context.ts'
import { rollBackTo, setSavepoint } from './savepoint.ts'
import { explainRefusal } from './violation.ts'

/** Writes some of the rows: several by one statement, or a single row by its own. */
export type WriteSome<R> = (rows: readonly R[]) => Promise<unknown>

/**
 * The refusal of the first row that is refused on its own; undefined if there is none, after which all rows are written. It runs
 * `write` again from the savepoint, with halves of the rows. The rows before the refused one stay written, because it may
 * conflict with one of them, so the refusal is explained before the rollback.
 */
export async function refusalOfFirst<R>(
  context: WriteContext,
  all: readonly R[],
  write: WriteSome<R>,
): Promise<Error | undefined> {
  await rollBackTo(context)
  let rows = all
  while (rows.length > 0) {
    const some = rows.length === 1 ? rows : rows.slice(0, rows.length >> 1)
    const error = await tryToWrite(context, some, write)
    const refusal = refusalOf(error)
    if (refusal === undefined) rows = rows.slice(some.length)
    else if (some.length > 1) rows = some
    else
      return refusedWrite({ ...refusal, explained: await explainRefusal(context, refusal) }, error)
  }
  return undefined
}

/** Writes the rows; if they are refused, rolls back to the savepoint and returns the error. */
async function tryToWrite<R>(
  context: WriteContext,
  rows: readonly R[],
  write: WriteSome<R>,
): Promise<unknown> {
  await setSavepoint(context)
  try {
    await write(rows)
    return undefined
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    await rollBackTo(context)
    return error
  }
}
