// Calls a policy hook and interprets its result; a hook that throws refuses the request, and its error is reported.

import type { HookCall } from '../call/hook-call.ts'
import { HookTimeout } from '../call-hook.ts'
import { ApiError, forbidden } from '../errors.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Resource } from '../registry/resource.ts'
import { hookCallerOf } from './hook-args.ts'

/**
 * Calls a policy hook and interprets its result with `read`; synchronously if the hook is. An ApiError it throws becomes the
 * response; exceeding API_HOOK_TIMEOUT gives 500; any other error gives 403 and goes to `onError`, so that a broken policy
 * reveals no data.
 */
export function callPolicyHook<T, R>(
  call: HookCall,
  resource: Resource,
  hook: string,
  run: () => T | Promise<T>,
  read: (answer: T) => R,
): MaybePromise<R> {
  const name = `${hook} of the policy of ${resource.name}`
  const refuse = (error: unknown): never => {
    if (error instanceof ApiError || error instanceof HookTimeout) throw error
    call.runtime.report(error, call.request)
    throw forbidden()
  }
  try {
    const answer = hookCallerOf(call)(name, run)
    return answer instanceof Promise ? answer.then(read).catch(refuse) : read(answer)
  } catch (error) {
    return refuse(error)
  }
}
