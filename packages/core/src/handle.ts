// The pipeline: one request in, one answer out; every refusal of every stage is caught here and nowhere else.

import { authorize, checksOf } from './access/authorize.ts'
import { callerOf } from './access/caller.ts'
import { hookArgs } from './access/hook-args.ts'
import { reachOf } from './access/reach.ts'
import { anonymous } from './access/roles.ts'
import type { Call, Runtime } from './call.ts'
import { settingNames } from './config/setting-names.ts'
import type { ApiSettings } from './config/settings.ts'
import { admitTo } from './endpoints/admit.ts'
import { authEndpointAt, serveAuth } from './endpoints/auth-route.ts'
import { removeMany, updateMany } from './endpoints/bulk.ts'
import { getMany } from './endpoints/collection.ts'
import { create } from './endpoints/create.ts'
import { docsPartAt, serveDocs } from './endpoints/docs.ts'
import { getOne } from './endpoints/item.ts'
import { getRelated } from './endpoints/related.ts'
import { remove } from './endpoints/remove.ts'
import { restore } from './endpoints/restore.ts'
import { actionOf, allowedMethods, resourceOf } from './endpoints/route-method.ts'
import { update } from './endpoints/update.ts'
import { ApiError, internalError, methodNotAllowed, unknownPath, urlTooLong } from './errors.ts'
import { runError, runFinal, runReturn, runSetup } from './hooks/read-hooks.ts'
import { bareHeaders, failureBody, type Result, type Stamp, successBody } from './http/envelope.ts'
import { withTag } from './http/etag.ts'
import { type ApiRequest, header } from './http/request.ts'
import type { ApiResponse } from './http/response.ts'
import { matchRoute, type Route, splitUrl } from './http/route-table.ts'
import type { JsonValue } from './json/json-value.ts'
import type { Resource } from './registry/resource.ts'

/** What a request was refused for before it came here: by the host's middleware, or by a parser. */
export interface Refused {
  readonly error: unknown
}

/** Serves one request, or answers one that was refused; never rejects. */
export async function handle(
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<ApiResponse> {
  const started = runtime.clock.elapsed()
  const requestId = idOf(request)
  const stamp = (): Stamp => ({
    version: runtime.settings.version,
    requestId,
    now: runtime.clock.now(),
    elapsed: runtime.clock.elapsed() - started,
  })
  // Settings of the API until the route is known, of its resource from then on.
  let { hooks, dump } = runtime.settings
  const always: Record<string, string> = {}
  const answerFailure = async (error: unknown): Promise<ApiResponse> => {
    const failure = error instanceof ApiError ? error : internalError(requestId)
    if (failure !== error || failure.status >= 500) runtime.report(error, request)
    await runError(hooks, error, request).catch((e: unknown) => runtime.report(e, request))
    const body = failureBody(failure.status, failure.body, stamp(), dump)
    const final = await runFinal(hooks, body).catch((e: unknown) => {
      runtime.report(e, request)
      return body
    })
    return respond(failure.status, final, requestId, { ...always, ...failure.headers })
  }
  const answerSuccess = async (result: Result): Promise<ApiResponse> => {
    const bare = dump.envelope ? {} : bareHeaders(result)
    const headers = { ...always, ...bare, ...result.headers }
    if (result.empty) return respond(result.status, undefined, requestId, headers)
    const body = await runFinal(hooks, successBody(result, stamp(), dump))
    return respond(result.status, body, requestId, headers)
  }
  try {
    if (refused !== undefined) {
      ;({ hooks, dump } = switchesAt(runtime, request) ?? runtime.settings)
      throw refused.error
    }
    refuseLongUrl(runtime, request)
    const { path } = splitUrl(request.url)
    const part = docsPartAt(runtime.settings.docs, path)
    if (part !== undefined) {
      const { status, body, headers } = await serveDocs(runtime, request, part)
      return respond(status, body as JsonValue | undefined, requestId, headers)
    }
    const endpoint = authEndpointAt(runtime.settings.auth.routes, path)
    if (endpoint !== undefined) {
      Object.assign(always, { 'cache-control': 'no-store' })
      return await answerSuccess(await serveAuth(runtime, request, endpoint))
    }
    const { call, route } = openCall(runtime, request)
    hooks = call.hooks
    dump = call.resource.settings.dump
    return await answerSuccess(await serve(call, route, always))
  } catch (error) {
    return answerFailure(error)
  }
}

function refuseLongUrl({ settings }: Runtime, { url }: ApiRequest): void {
  const { urlLength } = settings.limits
  if (url.length > urlLength) throw urlTooLong(url.length, settingNames.maxUrlLength, urlLength)
}

/** What the answer to a refused request goes by, where it was for a resource. */
function switchesAt(
  runtime: Runtime,
  request: ApiRequest,
): Pick<ApiSettings, 'hooks' | 'dump'> | undefined {
  try {
    const { hooks, resource } = openCall(runtime, request).call
    return { hooks, dump: resource.settings.dump }
  } catch {
    return undefined
  }
}

/** route: the path, the method, and what they mean. */
function openCall(runtime: Runtime, request: ApiRequest): { call: Call; route: Route } {
  const { baseUrl, prefix } = runtime.settings
  const { path, query } = splitUrl(request.url)
  const route = matchRoute(runtime.routes, path)
  if (route === undefined) throw unknownPath(path)
  const method = request.method.toUpperCase()
  const resource = resourceOf(route)
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const hookMethod = method.toLowerCase() as keyof typeof resource.settings.hooks
  const call: Call = {
    runtime,
    request,
    method,
    path,
    query,
    resource,
    action: actionOf(route, method),
    relation: route.kind === 'related' ? route.relation : null,
    hooks: resource.settings.hooks[hookMethod] ?? resource.settings.hooks.get,
    origin,
    base: `${origin}${prefix}`,
    caller: anonymous,
    reach: reachOf(anonymous),
  }
  return { call, route }
}

/** Every stage after the route, in order; what goes into `always` is sent whatever becomes of them. */
async function serve(call: Call, route: Route, always: Record<string, string>): Promise<Result> {
  const allowed = allowedMethods(route)
  if (call.method === 'OPTIONS') {
    const headers = { allow: allowed.join(', ') }
    return { status: 204, value: null, total: undefined, empty: true, headers }
  }
  if (!allowed.includes(call.method)) throw methodNotAllowed(call.method, allowed)
  await runSetup(call.hooks, call.request)
  const checks = checksOf(route, call.method)
  const { user, strategy, headers } = await admitTo(call, route, checks)
  Object.assign(always, headers)
  const caller = await callerOf(user, call.runtime.registry.users?.model, strategy)
  authorize(caller, checks)
  const known: Call = { ...call, caller, reach: reachOf(caller) }
  const result = await answer(known, route)
  const value = await runReturn(call.hooks, result.value, hookArgs(known))
  return withTag(call.request, { ...result, value })
}

function answer(call: Call, route: Route): Promise<Result> {
  const { resource } = route
  switch (route.kind) {
    case 'collection':
      return onCollection(call, resource)
    case 'item':
      return onItem(call, resource, route.key)
    case 'restore':
      return restore(call, resource, route.key)
    case 'related':
      return getRelated(call, route.relation, route.key)
  }
}

function onCollection(call: Call, resource: Resource): Promise<Result> {
  switch (call.method) {
    case 'POST':
      return create(call, resource)
    case 'PATCH':
      return updateMany(call, resource)
    case 'DELETE':
      return removeMany(call, resource)
    default:
      return getMany(call, resource)
  }
}

function onItem(call: Call, resource: Resource, key: readonly string[]): Promise<Result> {
  switch (call.method) {
    case 'PATCH':
    case 'PUT':
      return update(call, resource, key)
    case 'DELETE':
      return remove(call, resource, key)
    default:
      return getOne(call, resource, key)
  }
}

function respond(
  status: number,
  body: JsonValue | undefined,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
  return {
    status,
    headers: {
      ...type,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: body as ApiResponse['body'],
  }
}

/** The client's own request id where it is harmless, else a new one (contract §2). */
function idOf(request: ApiRequest): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
