// The pipeline: one request in, one answer out; every refusal of every stage is caught here and nowhere else.

import type { Call, Runtime } from './call.ts'
import { settingNames } from './config/setting-names.ts'
import { getMany } from './endpoints/collection.ts'
import { getOne } from './endpoints/item.ts'
import { getRelated } from './endpoints/related.ts'
import { ApiError, internalError, methodNotAllowed, unknownPath, urlTooLong } from './errors.ts'
import { bareHeaders, failureBody, type Result, type Stamp, successBody } from './http/envelope.ts'
import { type ApiRequest, header } from './http/request.ts'
import type { ApiResponse } from './http/response.ts'
import { matchRoute, type Route, splitUrl } from './http/route-table.ts'
import type { JsonValue } from './json/json-value.ts'

/** Serves one request; never rejects. */
export async function handle(runtime: Runtime, request: ApiRequest): Promise<ApiResponse> {
  const started = runtime.clock.elapsed()
  const requestId = idOf(request)
  const stamp = (): Stamp => ({
    version: runtime.settings.version,
    requestId,
    now: runtime.clock.now(),
    elapsed: runtime.clock.elapsed() - started,
  })
  try {
    const { result, dump } = await serve(runtime, request)
    const body = result.empty ? undefined : successBody(result, stamp(), dump)
    const bare = dump.envelope ? {} : bareHeaders(result)
    return respond(result.status, body, requestId, { ...bare, ...result.headers })
  } catch (error) {
    const answer = error instanceof ApiError ? error : internalError(requestId)
    if (answer !== error || answer.status >= 500) runtime.report(error, request)
    const body = failureBody(answer.status, answer.body, stamp(), runtime.settings.dump)
    return respond(answer.status, body, requestId, answer.headers)
  }
}

/** route → parse → plan → scope → compile → execute → serialize, by endpoint. */
async function serve(
  runtime: Runtime,
  request: ApiRequest,
): Promise<{ result: Result; dump: Runtime['settings']['dump'] }> {
  const { limits } = runtime.settings
  if (request.url.length > limits.urlLength) {
    throw urlTooLong(request.url.length, settingNames.maxUrlLength, limits.urlLength)
  }
  const { path, query } = splitUrl(request.url)
  const route = matchRoute(runtime.routes, path)
  if (route === undefined) throw unknownPath(path)
  const { dump } = resourceOf(route).settings
  const origin = `${runtime.settings.baseUrl}${request.baseUrl ?? ''}`
  const base = `${origin}${runtime.settings.prefix}`
  const call: Call = { runtime, request, path, query, base, origin, reach: mayList }
  return { result: await answer(call, route, request.method.toUpperCase()), dump }
}

const resourceOf = (route: Route) =>
  route.kind === 'related' ? route.relation.target : route.resource

const mayList: Call['reach'] = (resource) => resource.settings.methods.has('GET')

function answer(call: Call, route: Route, method: string): Promise<Result> | Result {
  const allowed = allowedMethods(route)
  if (method === 'OPTIONS') {
    const headers = { allow: allowed.join(', ') }
    return { status: 204, value: null, total: undefined, empty: true, headers }
  }
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed)
  switch (route.kind) {
    case 'collection':
      return getMany(call, route.resource)
    case 'item':
      return getOne(call, route.resource, route.key)
    case 'related':
      return getRelated(call, route.relation, route.key)
  }
}

/** What `Allow` lists: the resource's methods that this kind of endpoint has; HEAD goes with GET. */
function allowedMethods(route: Route): readonly string[] {
  const reads =
    route.resource.settings.methods.has('GET') && resourceOf(route).settings.methods.has('GET')
  return reads ? ['GET', 'HEAD', 'OPTIONS'] : ['OPTIONS']
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
