// The index: `GET /api` (the prefix) or `GET /` lists the resources that the caller may list, with example requests.

import type { Action } from '../../../access/action.ts'
import type { HookCall } from '../../../access/hooks/hook-call.ts'
import { runSetup } from '../../../access/hooks/read-hooks.ts'
import { refusesList } from '../../../access/policies/scope.ts'
import { hasPermission, isListAllowed } from '../../../access/reach.ts'
import type { Caller } from '../../../access/roles/roles.ts'
import type { LimitHeaders } from '../../../auth/limits/limiter.ts'
import { ApiError } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { HookTimeout } from '../../../model/hooks/call-hook.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import { collectionUrl } from '../../../query/serialize/links.ts'
import type { Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import type { ListedResource, ServiceIndex } from '../../pages/index-page.ts'
import { admitCall, lookUpCaller } from '../routing/admit.ts'
import { optionsResult, readMethods } from '../routing/own-methods.ts'
import { refuseParameters } from '../routing/refuse-parameters.ts'
import { exampleRequests } from './example-requests.ts'

/** Serves the index. Adds headers to `always`, so that they are sent even if a later stage fails, and passes on the caller. */
export async function serveIndex(
  runtime: Runtime,
  request: ApiRequest,
  always: Record<string, string>,
  identified: (caller: Caller) => void,
): Promise<Result> {
  const options = optionsResult(request, readMethods)
  if (options !== undefined) return options
  const { hooks, additionalQueryParams } = runtime.settings
  await runSetup(runtime, hooks, request)
  const { caller, headers } = await identify(runtime, request)
  Object.assign(always, headers)
  identified(caller)
  refuseParameters(request, additionalQueryParams, ' The index has no parameters.')
  const listed = await listableBy({ runtime, request, caller }, runtime.registry.resources)
  const index = indexOf(runtime.settings, request, caller, listed)
  return { status: 200, value: index as unknown as JsonValue, total: 1 }
}

/** Runs the stages limit and authenticate; accepts every strategy that at least one resource accepts. */
async function identify(
  runtime: Runtime,
  request: ApiRequest,
): Promise<{ readonly caller: Caller; readonly headers: LimitHeaders }> {
  const { auth, rateWindows } = runtime.settings
  const { strategies } = auth
  const admission = { route: 'index', windows: rateWindows, strategies, required: false }
  const admitted = await admitCall(runtime, request, admission)
  return { caller: await lookUpCaller(runtime, admitted), headers: admitted.headers }
}

/** Returns the resources that the caller may list: methods, authentication and role rules allow it, and the policy does not refuse it. */
async function listableBy(call: HookCall, resources: readonly Resource[]): Promise<Resource[]> {
  const { runtime, request, caller } = call
  const db = await runtime.database.session(request)
  const listed: Resource[] = []
  for (const resource of resources) {
    if (resource.paths.length === 0 || !isListAllowed(resource, caller)) continue
    if (!(await isRefused({ call, db }, resource))) listed.push(resource)
  }
  return listed
}

/** Whether the policy of a resource refuses its list, or fails. */
async function isRefused(
  scope: Parameters<typeof refusesList>[0],
  resource: Resource,
): Promise<boolean> {
  try {
    return await refusesList(scope, resource)
  } catch (error) {
    if (error instanceof HookTimeout) throw error
    // Omits the resource: with an ApiError the policy would refuse the list, and with any other error the list would fail.
    if (!(error instanceof ApiError)) scope.call.runtime.host.report(error, scope.call.request)
    return true
  }
}

function indexOf(
  { title, version, docs, baseUrl, prefix }: ApiSettings,
  request: ApiRequest,
  caller: Caller,
  resources: readonly Resource[],
): ServiceIndex {
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const readable = docs !== null && (!docs.requireAuth || caller.authenticated)
  return {
    title,
    version,
    documentation: readable ? `${origin}${docs.page}` : null,
    openapi: readable ? `${origin}${docs.spec}` : null,
    resources: resources.map((resource) => listed(resource, caller, `${origin}${prefix}`)),
    examples: exampleRequests(resources, `${origin}${prefix}`),
  }
}

const actions: readonly (readonly [method: string, action: Action])[] = [
  ['GET', 'GET_MANY'],
  ['POST', 'POST'],
  ['PATCH', 'PATCH'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
]

const listed = (resource: Resource, caller: Caller, base: string): ListedResource => ({
  name: resource.name,
  url: collectionUrl(resource, base),
  description: resource.settings.description ?? null,
  size: resource.settings.size ?? null,
  methods: actions
    .filter(([, action]) => hasPermission(resource, action, caller))
    .map(([method]) => method),
})
