// Asking a policy hook: how its answer is taken; a throw refuses and is reported.

import type { Call } from '../call.ts'
import { StuckHook } from '../call-hook.ts'
import { ApiError, forbidden } from '../errors.ts'
import type { Resource } from '../registry/resource.ts'
import { hookCallerOf } from './hook-args.ts'

/**
 * Calls a policy hook and reads its answer. An ApiError it throws is the answer, and one that does not come to an end is
 * 500; anything else is 403 and goes to `onError`, so that a broken policy shows nothing.
 */
export async function ask<T, R>(
  call: Call,
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
    if (error instanceof ApiError || error instanceof StuckHook) throw error
    call.runtime.report(error, call.request)
    throw forbidden()
  }
}
