// The end of a successful answer: the return callback, the ETag and the final callback; inside the transaction of a write (contract §11).

import { hookCallerOf } from '../access/hook-args.ts'
import type { Call } from '../call.ts'
import { runFinal, runReturn } from '../hooks/read-hooks.ts'
import { type Result, successBody } from '../http/envelope.ts'
import { withTag } from '../http/etag.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'

/** The result as the return callback leaves it, with its tag. */
export function returnedResult(call: Call, result: Result): MaybePromise<Result> {
  const { request, hooks, timing } = call
  if (result.finished === true) return result
  timing?.enter('serialize')
  if (hooks.return === undefined) return withTag(request, result)
  return runReturn(call, result.value).then((value) =>
    withTag(request, { ...result, value, finished: true }),
  )
}

/**
 * What a write runs before its COMMIT, so that a callback that fails stores nothing: return and final. Without such
 * callbacks the result stays as it is, and is finished after the COMMIT.
 */
export function finishedInside(call: Call, result: Result): MaybePromise<Result> {
  const { hooks, resource } = call
  if (hooks.return === undefined && hooks.final === undefined) return result
  return andThen(returnedResult(call, result), async (given) => {
    if (hooks.final === undefined || given.empty === true) return given
    const body = successBody(given, call.stamp(), resource.settings.dump)
    return {
      ...given,
      body: await runFinal({ callHook: hookCallerOf(call) }, hooks, body),
      finished: true,
    }
  })
}
