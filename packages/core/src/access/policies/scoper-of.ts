// scoperOf: implements `Scoper`, by which a read in `query` asks the policies and the filter callback of its request.

import type { Scoper } from '../../query/scoper.ts'
import { withColumnsForCanRead } from '../can-read.ts'
import type { HookCall } from '../hooks/hook-call.ts'
import { baseFilter } from '../hooks/read-hooks.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { openScopes, scopeRead } from './scope.ts'

/** Returns the policies of a request, for one read. */
export const scoperOf = (call: HookCall & RoutedRequest): Scoper => ({
  withChecked: (plan) => withColumnsForCanRead(call, plan),
  open: (plan) => openScopes(call, plan),
  scope(plan, { target, own }, additional) {
    const filter = baseFilter(call, plan.rows.from.resource, { additional })
    const scope = { call, db: own, target, action: call.action }
    return scopeRead(filter === undefined ? scope : { ...scope, filter }, plan)
  },
})
