// Calls a policy hook and interprets its result; a hook that throws refuses the request, and its error is reported.

import type { HookCall } from '../call/hook-call.ts'
import { HookTimeout } from '../call-hook.ts'
import { ApiError, forbidden } from '../errors.ts'
import type { Resource } from '../registry/resource.ts'
import { hookCallerOf } from './hook-args.ts'

/**
 * Calls a policy hook and interprets its result with `read`. An ApiError it throws becomes the response; exceeding
 * API_HOOK_TIMEOUT gives 500; any other error gives 403 and goes to `onError`, so that a broken policy reveals no data.
 */
export async function callPolicyHook<T, R>(
  call: HookCall,
  resource: Resource,
  hook: string,
  run: () => T | Promise<T>,
  read: (answer: T) => R,
): Promise<R> {
  const name = `${hook} of the policy of ${resource.name}`
  try {
    const answer = await hookCallerOf(call)(name, run)
    return read(answer)
  } catch (error) {
    if (error instanceof ApiError || error instanceof HookTimeout) throw error
    call.runtime.report(error, call.request)
    throw forbidden()
  }
}
