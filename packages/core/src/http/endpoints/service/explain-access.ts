// explainAccess: `api.explainAccess(user, { method: 'GET', url: '/api/books' })`, which reports stage by stage which rule allows or refuses a
// user's request, without running it. A tool for developers: no request calls it.

import { decidingKey, methodOf, type Permission } from '../../../access/action.ts'
import { checksOf } from '../../../access/authorize.ts'
import { callerOf } from '../../../access/caller.ts'
import { scopeText } from '../../../access/policies/check-scope.ts'
import type { Policies } from '../../../access/policies/policy.ts'
import { isAuthenticatedFor } from '../../../access/reach.ts'
import { needsAuthentication } from '../../../access/requirement.ts'
import {
  type Caller,
  decidingRules,
  ruleText,
  satisfies,
  system,
} from '../../../access/roles/roles.ts'
import { ApiError } from '../../../errors.ts'
import { decodedSegment } from '../../../lib/decoded-segment.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'
import { policyHooks } from '../../../model/settings/access/check-policy.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { Runtime } from '../../call/call.ts'
import { matchRoute, splitUrl } from '../../route-table.ts'
import { parseRead } from '../reads/request-query.ts'
import { allowedMethods } from '../routing/route-method.ts'
import { type AskedResource, askedResources } from './asked-resources.ts'

/** The decision of one stage. */
export interface AccessStep {
  /** `query`: a query of a read that is refused for every caller, such as an unknown name. */
  readonly stage: 'route' | 'query' | 'authenticate' | 'authorize' | 'policy'
  /** The model of the rule: of the path, or one that the query joins, filters by, counts or embeds; null if the path matched no route. */
  readonly model: string | null
  /** `UPSERT`: the right to send a POST with `on_conflict`; null in steps about the route or the query as a whole. */
  readonly action: Permission | null
  /**
   * `asks`: a policy hook decides by the rows when the request runs. `leaves out`: the request is served, with URLs in place of the
   * records of this model.
   */
  readonly decision: 'allows' | 'refuses' | 'asks' | 'leaves out'
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

type Status = AccessExplanation['status']

/** A step, and the status of the request if the step refuses it. */
interface JudgedStep {
  readonly step: AccessStep
  readonly status: Status
}

/** A permission on a resource that the request needs. */
interface Needed {
  readonly resource: Resource
  readonly action: Permission
}

/** Explains a request by this user (null: anonymous; `'system'`: that of `api.as`). Ignores the credentials, the body, and the query of a write but for `on_conflict`. */
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
  const explained = (judged: readonly JudgedStep[]): AccessExplanation => {
    const refusal = judged.find(({ step }) => step.decision === 'refuses')
    const steps = judged.map(({ step }) => step)
    const status = refusal?.status ?? 200
    return { allowed: refusal === undefined, status, roles: caller.roles, steps }
  }
  const { path, query } = splitUrl(request.url)
  const route = matchRoute(runtime.routing.table, path)
  if (route === undefined) return explained([routeStep(404, `no endpoint answers at ${path}`)])
  const method = request.method.toUpperCase()
  const allowed = allowedMethods(route)
  if (!allowed.includes(method)) {
    const because = `${method} is not allowed here; allowed: ${allowed.join(', ')}`
    return explained([routeStep(405, because, route)])
  }
  const checks = checksOf(route, method)
  const [first] = checks
  const found = routeStep(200, `${method} ${path} is ${first?.action}`, route)
  if (method === 'OPTIONS') return explained([found])
  const isUpsert = route.kind === 'collection' && method === 'POST' && hasOnConflict(query)
  const change: Needed = { resource: route.resource, action: 'PATCH' }
  return explained([
    found,
    ...checks.map((check) => refusing(401, authenticationStep(check, caller))),
    ...checks.flatMap((check) => forbidding(roleSteps(check, caller))),
    ...(isUpsert ? upsertRights(change, caller) : []),
    ...forbidding(checks.map((check) => policyStep(policies, check, caller))),
    ...forbidding(isUpsert ? [policyStep(policies, change, caller)] : []),
    ...(readingMethods.has(method) ? queryRights(policies, route, query, caller) : []),
  ])
}

/** The methods whose queries are judged. */
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

const refusing = (status: Status, step: AccessStep): JudgedStep => ({ step, status })

const forbidding = (steps: readonly AccessStep[]): readonly JudgedStep[] =>
  steps.map((step) => refusing(403, step))

/** The steps of what the query of a read joins, filters by, counts or embeds; or one step that refuses the query. */
function queryRights(
  policies: Policies,
  route: Route,
  query: string,
  caller: Caller,
): readonly JudgedStep[] {
  const resource = route.kind === 'related' ? route.relation.target : route.resource
  try {
    const asked = askedResources(route, parseRead({ query }, resource))
    return asked.flatMap((related) => relatedRights(policies, related, caller))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { model } = routeStep(200, '', route).step
    const because = String(error.body.reason)
    const step = { stage: 'query', model, action: null, decision: 'refuses', at: null } as const
    return [refusing(error.status as Status, { ...step, because })]
  }
}

/** The steps of a resource that a query asks for: those of a list of it. */
function relatedRights(
  policies: Policies,
  { resource, isEmbedded, refusal }: AskedResource,
  caller: Caller,
): readonly JudgedStep[] {
  const needed: Needed = { resource, action: 'GET_MANY' }
  const rights = [
    ...methodSteps(needed),
    authenticationStep(needed, caller),
    ...roleSteps(needed, caller),
  ]
  const judged = rights.map((step) => {
    if (step.decision !== 'refuses' || refusal !== undefined) return step
    return { ...step, decision: 'leaves out' } as const
  })
  const status = (refusal?.status ?? 403) as Status
  return [...judged, policyStep(policies, needed, caller, isEmbedded)].map((step) =>
    refusing(status, step),
  )
}

/** The step of a model without the method of an action. */
function methodSteps({ resource, action }: Needed): readonly AccessStep[] {
  const name = methodOf(action)
  if (resource.settings.methods.has(name)) return []
  const step = { stage: 'authorize', model: resource.name, action, decision: 'refuses' } as const
  return [{ ...step, at: 'allowed_methods', because: `${resource.name} has no ${name}` }]
}

/** Whether a raw query has the parameter. The query is not parsed, because that throws for other mistakes. */
const hasOnConflict = (query: string): boolean =>
  query.split('&').some((pair) => decodedSegment(pair.split('=')[0] ?? '') === 'on_conflict')

/**
 * The steps of an upsert after those of its POST: `UPSERT`, and the right to change records (PATCH). A caller without this right gets
 * 403, also where the model has no PATCH, or PATCH needs authentication and POST does not.
 */
function upsertRights(change: Needed, caller: Caller): readonly JudgedStep[] {
  const { resource, action } = change
  if (!resource.settings.allowUpsert) {
    const because = `on_conflict is not enabled here (${settingNames.allowUpsert})`
    const { step } = routeStep(400, because)
    return [refusing(400, { ...step, model: resource.name })]
  }
  const upsert = forbidding(roleSteps({ resource, action: 'UPSERT' }, caller))
  const step = { stage: 'authorize', model: resource.name, action, decision: 'refuses' } as const
  if (!resource.settings.methods.has(methodOf(action))) {
    const because = `on_conflict may change stored records, and ${resource.name} has no PATCH`
    return [...upsert, refusing(403, { ...step, at: 'allowed_methods', because })]
  }
  if (needsAuthentication(resource, action) && !isAuthenticatedFor(resource, caller)) {
    const { at, because } = authenticationStep(change, caller)
    return [...upsert, refusing(403, { ...step, at, because })]
  }
  return [...upsert, ...forbidding(roleSteps(change, caller))]
}

/** The step of the path: status 200 allows. */
const routeStep = (status: Status, because: string, route?: Route): JudgedStep => ({
  step: {
    stage: 'route',
    model: route?.resource.name ?? null,
    action: null,
    decision: status === 200 ? 'allows' : 'refuses',
    at: null,
    because,
  },
  status,
})

/** The step that says whether the request needs authentication, and whether the caller has it. */
function authenticationStep({ resource, action }: Needed, caller: Caller): AccessStep {
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

/** A step for each role rule that applies, or one if there is none. */
function roleSteps({ resource, action }: Needed, caller: Caller): readonly AccessStep[] {
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

/** The step that names the hooks of the policy that decide by the rows. */
function policyStep(
  policies: Policies,
  { resource, action }: Needed,
  caller: Caller,
  isEmbedded = false,
): AccessStep {
  const found = policies.get(resource)
  const hooks = policyHooks.filter(
    (hook) =>
      found?.[hook] !== undefined &&
      (concerns(hook, action) || (isEmbedded && hook === 'can_read')),
  )
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
