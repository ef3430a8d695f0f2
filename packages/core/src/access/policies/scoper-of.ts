// scoperOf: the policies and the filter callback of a request, as a read asks them.

import type { Scoper } from '../../query/scoper.ts'
import { readRecords } from '../can-read.ts'
import type { HookCall } from '../hooks/hook-call.ts'
import { baseFilter } from '../hooks/read-hooks.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { openScopes, scopeRead } from './scope.ts'

export const scoperOf = (call: HookCall & RoutedRequest): Scoper => ({
  withChecked: (plan) => readRecords(call, plan),
  open: (plan) => openScopes(call, plan),
  scope(plan, { target, own }, additional) {
    const filter = baseFilter(call, plan.rows.from.resource, { additional })
    const scope = { call, db: own, target, action: call.action }
    return scopeRead(filter === undefined ? scope : { ...scope, filter }, plan)
  },
})
