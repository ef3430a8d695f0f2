// explainAccess: reports stage by stage which rule allows or refuses a user's request, without running it.

import { decidingKey, methodOf, type Permission } from '../../../access/action.ts'
import { checksOf } from '../../../access/authorize.ts'
import { callerOf } from '../../../access/caller.ts'
import type { Policies } from '../../../access/policies/policy.ts'
import { scopeText } from '../../../access/policies/policy-scope.ts'
import { isKnown } from '../../../access/reach.ts'
import { needsAuthentication } from '../../../access/requirement.ts'
import {
  type Caller,
  decidingRules,
  ruleText,
  satisfies,
  system,
} from '../../../access/roles/roles.ts'
import { decodedSegment } from '../../../lib/decoded-segment.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'
import { policyHooks } from '../../../model/settings/access/check-policy.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { Runtime } from '../../call/call.ts'
import { matchRoute, splitUrl } from '../../route-table.ts'
import { allowedMethods } from '../routing/route-method.ts'

/** The decision of one stage. */
export interface AccessStep {
  readonly stage: 'route' | 'authenticate' | 'authorize' | 'policy'
  /** The model of the rule; null if the path matched no route. */
  readonly model: string | null
  /** `UPSERT`: the right to send a POST with `on_conflict`. */
  readonly action: Permission | null
  /** `asks`: a policy hook decides by the rows when the request runs. */
  readonly decision: 'allows' | 'refuses' | 'asks'
  /** Where the rule is configured: `config.API_ROLE_MAP.GET`; null if no rule applies. */
  readonly at: string | null
  readonly because: string
}

/** Which rules decide about a request. */
export interface AccessExplanation {
  /** False if a stage before the database refuses. */
  readonly allowed: boolean
  /** The status of the refusal, else 200. */
  readonly status: 200 | 400 | 401 | 403 | 404 | 405
  readonly roles: readonly string[]
  /** In pipeline order; the first refusal gives the status. */
  readonly steps: readonly AccessStep[]
}

/** A permission on a resource that the request needs. */
interface Needed {
  readonly resource: Resource
  readonly action: Permission
}

/** Explains a request by this user (null: anonymous; `'system'`: that of `api.as`). Ignores the credentials, the body and the query, except for `on_conflict`. */
export async function explainAccess(
  runtime: Runtime,
  user: unknown,
  request: Pick<ApiRequest, 'method' | 'url'>,
): Promise<AccessExplanation> {
  const caller =
    user === 'system'
      ? system
      : await callerOf(runtime.host.callHook, user, runtime.registry.users?.model)
  const { policies } = runtime.access
  const explained = (steps: readonly AccessStep[]): AccessExplanation => {
    const refusal = steps.find(({ decision }) => decision === 'refuses')
    const status = refusal === undefined ? 200 : statusOf(refusal)
    return { allowed: refusal === undefined, status, roles: caller.roles, steps }
  }
  const { path, query } = splitUrl(request.url)
  const route = matchRoute(runtime.routing.table, path)
  if (route === undefined)
    return explained([routeStep('refuses', `no endpoint answers at ${path}`)])
  const method = request.method.toUpperCase()
  const allowed = allowedMethods(route)
  if (!allowed.includes(method)) {
    const because = `${method} is not allowed here; allowed: ${allowed.join(', ')}`
    return explained([routeStep('refuses', because, route)])
  }
  const checks = checksOf(route, method)
  const [first] = checks
  const step = routeStep('allows', `${method} ${path} is ${first?.action}`, route)
  if (method === 'OPTIONS') return explained([step])
  const isUpsert = route.kind === 'collection' && method === 'POST' && hasOnConflict(query)
  const change: Needed = { resource: route.resource, action: 'PATCH' }
  return explained([
    step,
    ...checks.map((check) => authentication(check, caller)),
    ...checks.flatMap((check) => roles(check, caller)),
    ...(isUpsert ? upsertRights(change, caller) : []),
    ...checks.map((check) => policy(policies, check, caller)),
    ...(isUpsert ? [policy(policies, change, caller)] : []),
  ])
}

/** Whether a raw query has the parameter. The query is not parsed, because that throws for other mistakes. */
const hasOnConflict = (query: string): boolean =>
  query.split('&').some((pair) => decodedSegment(pair.split('=')[0] ?? '') === 'on_conflict')

/**
 * The steps of an upsert after those of its POST: `UPSERT`, and the right to change records. A caller without the latter gets 403,
 * also where the model has no PATCH, or PATCH needs authentication and POST does not.
 */
function upsertRights(change: Needed, caller: Caller): readonly AccessStep[] {
  const { resource, action } = change
  if (!resource.settings.allowUpsert) {
    const because = `on_conflict is ${notEnabled} (${settingNames.allowUpsert})`
    return [{ ...routeStep('refuses', because), model: resource.name }]
  }
  const upsert = roles({ resource, action: 'UPSERT' }, caller)
  const step = { stage: 'authorize', model: resource.name, action, decision: 'refuses' } as const
  if (!resource.settings.methods.has(methodOf(action))) {
    const because = `on_conflict may change stored records, and ${resource.name} has no PATCH`
    return [...upsert, { ...step, at: 'allowed_methods', because }]
  }
  if (needsAuthentication(resource, action) && !isKnown(resource, caller)) {
    const { at, because } = authentication(change, caller)
    return [...upsert, { ...step, at, because }]
  }
  return [...upsert, ...roles(change, caller)]
}

const notEnabled = 'not enabled here'

/** Recognises the steps of this file by their texts. */
function statusOf({ stage, because }: AccessStep): AccessExplanation['status'] {
  if (stage === 'authenticate') return 401
  if (stage !== 'route') return 403
  if (because.includes(notEnabled)) return 400
  return because.startsWith('no endpoint') ? 404 : 405
}

const routeStep = (
  decision: AccessStep['decision'],
  because: string,
  route?: Route,
): AccessStep => ({
  stage: 'route',
  model: route?.resource.name ?? null,
  action: null,
  decision,
  at: null,
  because,
})

function authentication({ resource, action }: Needed, caller: Caller): AccessStep {
  const { strategies, requirements } = resource.settings
  const needed = needsAuthentication(resource, action)
  const key = strategies.length === 0 ? undefined : decidingKey(requirements, action)
  let rule = 'no strategy is enabled'
  if (key !== undefined) rule = `requirement ${key} is ${requirements[key]}`
  else if (strategies.length > 0) rule = `${strategies.join(', ')} protects every request`
  const known = caller.isSystem ? 'the caller is the system' : 'the caller is authenticated'
  const who = caller.authenticated ? known : 'nobody is authenticated'
  return {
    stage: 'authenticate',
    model: resource.name,
    action,
    decision: needed && !caller.authenticated ? 'refuses' : 'allows',
    at: key === undefined ? null : `auth_requirements.${key}`,
    because: `${rule}; ${who}`,
  }
}

function roles({ resource, action }: Needed, caller: Caller): readonly AccessStep[] {
  const rules = decidingRules(resource.settings.roleMaps, action)
  const step = { stage: 'authorize', model: resource.name, action } as const
  if (rules.length === 0) {
    return [{ ...step, decision: 'allows', at: null, because: 'no role rule speaks of it' }]
  }
  const has = caller.isSystem
    ? 'no role restricts the system'
    : `the caller has ${caller.roles.length === 0 ? 'no roles' : caller.roles.join(', ')}`
  const who = caller.authenticated ? has : 'nobody is authenticated'
  return rules.map(({ at, key, rule }) => ({
    ...step,
    decision: satisfies(rule, caller) ? 'allows' : 'refuses',
    at: `${at}.${key}`,
    because: `it takes ${ruleText(rule)}; ${who}`,
  }))
}

function policy(policies: Policies, { resource, action }: Needed, caller: Caller): AccessStep {
  const found = policies.get(resource)
  const hooks = policyHooks.filter((hook) => found?.[hook] !== undefined && concerns(hook, action))
  const step = { stage: 'policy', model: resource.name, action } as const
  const at = resource.settings.policy?.at ?? null
  if (caller.isSystem && hooks.length > 0) {
    return { ...step, decision: 'allows', at, because: 'no policy restricts the system' }
  }
  return {
    ...step,
    decision: hooks.length === 0 ? 'allows' : 'asks',
    at,
    because:
      hooks.length === 0
        ? 'no hook speaks of it'
        : `${hooks.map(named).join(', ')} decides by the rows`,
  }
  function named(hook: string): string {
    const scope = hook === 'scope' ? policies.scopeOf(resource) : undefined
    return scope === undefined ? hook : `scope ${scopeText(scope)}`
  }
}

/** Whether an action calls the hook. */
function concerns(hook: (typeof policyHooks)[number], action: Permission): boolean {
  switch (hook) {
    case 'scope':
    case 'scope_query':
      return true
    case 'can_read':
      return action === 'GET_ONE' || action === 'RELATION_GET_ONE'
    case 'can_create':
      return action === 'POST'
    case 'can_update':
      return action === 'PATCH' || action === 'PUT' || action === 'RESTORE'
    case 'can_delete':
      return action === 'DELETE'
  }
}
