// Asking a policy hook: what it is told, and how its answer is taken; a throw refuses and is reported.

import type { Call } from '../call.ts'
import type { HookArgs } from '../config/hook-types.ts'
import { ApiError, forbidden } from '../errors.ts'
import type { Resource } from '../registry/resource.ts'
import type { Action } from './action.ts'

/** What is being asked about. */
export interface Subject {
  readonly action: Action
  readonly resource: Resource
  readonly many: boolean
  /** The relation that leads to the rows, or null. */
  readonly relation: string | null
}

/** The arguments of the specification, under its names. */
export const subjectArgs = (call: Call, subject: Subject): HookArgs => ({
  action: subject.action,
  user: call.caller.user,
  request: call.request,
  model: subject.resource.model,
  many: subject.many,
  relation_name: subject.relation,
})

/**
 * Runs a policy hook. An ApiError it throws is the answer; anything else is 403 and goes to `onError`, so that a broken
 * policy shows nothing.
 */
export async function ask<T>(
  call: Call,
  resource: Resource,
  hook: string,
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ApiError) throw error
    const cause = error instanceof Error ? error : new Error(String(error))
    call.runtime.report(
      new Error(`${hook} of the policy of ${resource.name} failed: ${cause.message}`, { cause }),
      call.request,
    )
    throw forbidden()
  }
}
