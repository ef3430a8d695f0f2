// The password cost that belongs to the arguments of a hook, for `hashPassword`.

import type { HookArgs } from '../settings/access/hook-types.ts'

/** API_PASSWORD_COST of the API that made the arguments of a `transform`. */
const apiCosts = new WeakMap<HookArgs, number>()

/** Returns the arguments, for which `hashPassword` has this cost. */
export function withPasswordCost(args: HookArgs, cost: number): HookArgs {
  apiCosts.set(args, cost)
  return args
}

/** The cost that `withPasswordCost` has set for these arguments. */
export const passwordCostOf = (args: HookArgs): number | undefined => apiCosts.get(args)
