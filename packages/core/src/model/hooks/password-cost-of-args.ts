// The password cost that belongs to the arguments of a hook. `transform: hashPassword` receives only a value and these arguments, so it looks up
// here which cost the API is configured with. `access/hooks/model-functions.ts` sets it when it makes the arguments.

import type { HookArgs } from '../settings/access/hook-types.ts'

/** API_PASSWORD_COST of the API that made the arguments of a `transform`. */
const apiCosts = new WeakMap<HookArgs, number>()

/** Returns the arguments, for which `hashPassword` has this cost. */
export function withPasswordCost(args: HookArgs, cost: number): HookArgs {
  apiCosts.set(args, cost)
  return args
}

/** The cost that `withPasswordCost` has set for these arguments; undefined for arguments that the host has made itself. */
export const passwordCostOf = (args: HookArgs): number | undefined => apiCosts.get(args)
