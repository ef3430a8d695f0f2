// Implements WriteAccess, by which `write` asks, for each record of a body, whether the caller may write it: by methods, roles and
// policies.

import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { recordForHost } from '../../model/hooks/host-values.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { AccessPolicy } from '../../model/settings/access/access-types.ts'
import type { HookArgs } from '../../model/settings/access/hook-types.ts'
import type { RecordScope, WriteAccess } from '../../write/check/write-access.ts'
import type { Values } from '../../write/nodes/node.ts'
import { atRecord } from '../hooks/at-record.ts'
import { recordArgs } from '../hooks/hook-args.ts'
import type { HookCall } from '../hooks/hook-call.ts'
import { baseFilter } from '../hooks/read-hooks.ts'
import { hasPermission } from '../reach.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { callPolicyHook } from './call-policy-hook.ts'
import { type ScopeConnection, scopeOfRecord, scopeStatement } from './scope.ts'

type Hook = 'can_create' | 'can_update' | 'can_delete'

/** The scope of a resource that neither a policy nor a filter callback narrows. */
const openScope: RecordScope = { written: 'all', shown: 'all' }

/** The access rules for this caller, inside the transaction of `opened`. */
export function writeAccess(call: HookCall & RoutedRequest, opened: ScopeConnection): WriteAccess {
  const { caller, runtime } = call
  /** Calls a hook about the record at `path` of the body, with `before` as `args.before`; true if the policy has no such hook. */
  const askPolicy = (
    resource: Resource,
    hook: Hook,
    before: Values | null,
    path: string,
    run: (policy: AccessPolicy, args: HookArgs) => unknown,
  ): MaybePromise<boolean> => {
    const policy = runtime.access.policies.get(resource)
    if (policy?.[hook] === undefined) return true
    const args = recordArgs(call, resource, before)
    return atRecord(path, () =>
      callPolicyHook(call, resource, hook, () => run(policy, args), Boolean),
    )
  }
  const { own: db, target } = opened
  const scoping = { call, db, target, action: call.action }
  const hasHook = (resource: Resource, hook: Hook): boolean =>
    runtime.access.policies.get(resource)?.[hook] !== undefined
  return {
    mayWrite: (resource, action) => hasPermission(resource, action, caller),
    canCreate: (resource, data, path) =>
      askPolicy(resource, 'can_create', null, path, (policy, args) =>
        policy.can_create?.(recordForHost(resource, data), args),
      ),
    canUpdate: (resource, object, data, path) =>
      !hasHook(resource, 'can_update') ||
      askPolicy(resource, 'can_update', object, path, (policy, args) =>
        policy.can_update?.(recordForHost(resource, object), recordForHost(resource, data), args),
      ),
    canDelete: (resource, object, path) =>
      askPolicy(resource, 'can_delete', object, path, (policy, args) =>
        policy.can_delete?.(recordForHost(resource, object), args),
      ),
    hasHook,
    narrows: (resource) => runtime.access.policies.narrows(resource),
    scoped: async (target, rows) => ({
      ...target,
      scopes: (await scopeStatement(call, opened, rows)).scopes,
    }),
    scopedOrEmpty: async (target, rows) => ({
      ...target,
      scopes: (await scopeStatement(call, opened, rows, 'empty')).scopes,
    }),
    scopeOfRecord({ resource, change, echoPlan, additional }) {
      // `echoPlan` is null if the response shows no record. The filter callback narrows only what responses show.
      const filter = echoPlan === null ? undefined : baseFilter(call, resource, { additional })
      if (filter === undefined && !runtime.access.policies.narrows(resource)) return openScope
      return scopeOfRecord({ ...scoping, ...(filter && { filter }) }, resource, {
        isNew: change === 'insert',
      })
    },
    scopeOfReferred: (resource) => scopeOfRecord(scoping, resource, { isNew: false }),
  }
}
