// What hooks and policies are told of the request they serve.

import type { Call } from '../call.ts'
import type { HookArgs } from '../config/hook-types.ts'

/** The arguments of a callback or policy hook, for the resource that is answered. */
export const hookArgs = (call: Call): HookArgs => ({
  action: call.action,
  user: call.caller.user,
  request: call.request,
  model: call.resource.model,
  many: call.action.endsWith('MANY'),
  relation_name: call.relation?.name ?? null,
})
