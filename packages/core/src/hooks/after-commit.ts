// after commit: passes the records that a request has written to the host's callback; not awaited, and without effect on the response (docs/hooks.md).

import { hookArgs, hookCallerOf } from '../access/hook-args.ts'
import type { HookCall } from '../call/hook-call.ts'
import type { RoutedRequest } from '../call/routed-request.ts'
import type { Change } from '../config/hook-types.ts'

/** Calls the callback with the changes, if there are any; an error of the callback is reported. */
export function runAfterCommit(
  call: HookCall & RoutedRequest,
  changes: readonly Change[],
  committed: boolean,
): void {
  const { afterCommit } = call.hooks
  if (afterCommit === undefined || changes.length === 0) return
  const { request, runtime } = call
  const report = (error: unknown): void => runtime.report(error, request)
  const args = { ...hookArgs(call), committed }
  try {
    const pending = hookCallerOf(call)('after-commit callback', () => afterCommit(changes, args))
    if (pending instanceof Promise) pending.catch(report)
  } catch (error) {
    report(error)
  }
}
