// The last steps of a successful response: the return callback, the ETag and the final callback (docs/guide/hooks.md). For a read they follow
// the endpoint; for a write the callbacks run inside its transaction.

import { runFinalOf, runReturn } from '../../../access/hooks/read-hooks.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Call } from '../../call/call.ts'
import { type Result, successBody } from '../../envelope.ts'
import { withTag } from '../../etag.ts'

/** Runs the return callback and adds the ETag; does nothing if both have been done. */
export function runReturnAndTag(call: Call, result: Result): MaybePromise<Result> {
  const { request, method, hooks, resource } = call
  if (result.finished === true) return result
  // A list has no ETag if there is a final callback: the callback may change the body, and the ETag is a hash of the value before
  // the callback.
  const tagsLists = resource.settings.listEtags && hooks.final === undefined
  const conditional = { request, method, tagsLists }
  const tagged = (untagged: Result): Result =>
    call.asPage ? untagged : withTag(conditional, untagged)
  if (hooks.return === undefined) return tagged(result)
  return andThen(runReturn(call, hooks.return, result.value, call.endsAsText), (returned) =>
    tagged({ ...result, ...returned, finished: true }),
  )
}

/**
 * Runs the return and final callbacks of a write before COMMIT, so that a failing callback rolls the write back. Without these
 * callbacks, returns the result unchanged; the ETag is then added after COMMIT.
 */
export function finishBeforeCommit(call: Call, result: Result): MaybePromise<Result> {
  const { hooks, resource } = call
  if (hooks.return === undefined && hooks.final === undefined) return result
  return andThen(runReturnAndTag(call, result), async (returned) => {
    if (hooks.final === undefined || returned.empty === true) return returned
    const body = successBody(returned, call.stamp(), resource.settings.dump)
    return {
      ...returned,
      body: await runFinalOf(call, body),
      finished: true,
    }
  })
}
