// The door between writes and access: methods, roles and policy of each record's own model, answered for the caller of this request.

import { ask, subjectArgs } from '../access/ask.ts'
import { mayAct } from '../access/reach.ts'
import type { Call } from '../call.ts'
import type { AccessPolicy } from '../config/access-types.ts'
import type { WriteAccess } from '../execute/write-access.ts'
import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import type { Resource } from '../registry/resource.ts'
import { type Opened, scopedRows } from './read-stages.ts'

type Hook = 'can_create' | 'can_update' | 'can_delete'

/** The rules for this caller, inside the transaction of `opened`. */
export function writeAccess(call: Call, opened: Opened): WriteAccess {
  const { caller, runtime } = call
  const asked = async (
    resource: Resource,
    hook: Hook,
    run: (policy: AccessPolicy, args: ReturnType<typeof subjectArgs>) => unknown,
  ): Promise<boolean> => {
    const policy = runtime.policies.get(resource)
    if (policy?.[hook] === undefined) return true
    const subject = { action: call.action, resource, many: false, relation: null }
    return Boolean(await ask(call, resource, hook, () => run(policy, subjectArgs(call, subject))))
  }
  return {
    mayWrite: (resource, action) => mayAct(resource, action, caller),
    canCreate: (resource, data) =>
      asked(resource, 'can_create', (policy, args) => policy.can_create?.({ ...data }, args)),
    canUpdate: (resource, object, data) =>
      asked(resource, 'can_update', (policy, args) =>
        policy.can_update?.({ ...object }, { ...data }, args),
      ),
    canDelete: (resource, object) =>
      asked(resource, 'can_delete', (policy, args) => policy.can_delete?.({ ...object }, args)),
    narrows: (resource) => runtime.policies.get(resource)?.scope_query !== undefined,
    scoped: async (target, rows) => ({
      ...target,
      scopes: (await scopedRows(call, opened, rows)).scopes,
    }),
  }
}

/** The user's model and key, so that users of two models never meet (security S14). */
export function identityOf({ caller, runtime }: Call): string | null {
  const user: unknown = caller.user
  if (user === null || user === undefined) return null
  const { users } = runtime.registry
  if (users === undefined || typeof user !== 'object') return stringify(user as JsonValue)
  const record = user as Readonly<Record<string, JsonValue>>
  return stringify([users.name, ...users.primaryKey.map(({ name }) => record[name] ?? null)])
}
