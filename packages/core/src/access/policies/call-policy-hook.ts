// callPolicyHook: how all hooks of access policies (`scope`, `scope_query`, `can_read`, `can_update` …) are called.

import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { hookCallerOf } from '../hooks/hook-args.ts'
import type { HookCall } from '../hooks/hook-call.ts'

/**
 * Calls a policy hook and interprets its result with `read`; synchronously if the hook is synchronous. An error that it throws
 * ends the request, so that a broken policy reveals no data: an ApiError becomes the response, any other error gives 500 and goes
 * to `onError`.
 */
export const callPolicyHook = <T, R>(
  call: HookCall,
  resource: Resource,
  hook: string,
  run: () => T | Promise<T>,
  read: (answer: T) => R,
): MaybePromise<R> =>
  andThen(hookCallerOf(call)(`${hook} of the policy of ${resource.name}`, run), read)
