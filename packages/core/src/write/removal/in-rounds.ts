// inRounds: deletes records of which some may be deleted only after others.

import { ApiError, isOfHost } from '../../errors.ts'
import type { Values } from '../nodes/node.ts'

/**
 * Deletes the rows. If other records still refer to one (409), it is tried again in the next round, because hooks and cascades may have
 * deleted the others by then. Throws if a round deletes nothing.
 */
export async function inRounds(
  rows: readonly Values[],
  remove: (rows: readonly Values[], index: number) => Promise<void>,
): Promise<void> {
  let remaining = rows
  while (remaining.length > 0) {
    const failed: Values[] = []
    let refusal: unknown
    for (let i = 0; i < remaining.length; i++) {
      try {
        await remove(remaining, i)
      } catch (error) {
        if (!isReferredTo(error)) throw error
        failed.push(remaining[i] as Values)
        refusal = error
      }
    }
    if (failed.length === remaining.length) throw refusal
    remaining = failed
  }
}

const isReferredTo = (error: unknown): boolean =>
  error instanceof ApiError && !isOfHost(error) && error.body.code === 'referred_to'
