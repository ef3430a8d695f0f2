// The pipeline: one request in, one answer out; every refusal of every stage is caught here and nowhere else.

import { authorize, checksOf } from './access/authorize.ts'
import { callerOf } from './access/caller.ts'
import { hookArgs } from './access/hook-args.ts'
import { reachOf } from './access/reach.ts'
import type { Call, Runtime } from './call.ts'
import { admitTo } from './endpoints/admit.ts'
import { answerRoute } from './endpoints/answer-route.ts'
import { authEndpointAt, serveAuth } from './endpoints/auth-route.ts'
import { docsPartAt, serveDocs } from './endpoints/docs.ts'
import { openCall, refuseLongUrl, switchesAt } from './endpoints/open-call.ts'
import { allowedMethods } from './endpoints/route-method.ts'
import { ApiError, internalError, methodNotAllowed } from './errors.ts'
import { runError, runFinal, runReturn, runSetup } from './hooks/read-hooks.ts'
import {
  bareHeaders,
  failureBody,
  type Result,
  type Stamp,
  successBody,
  successText,
} from './http/envelope.ts'
import { withTag } from './http/etag.ts'
import { refusalOf } from './http/refusal.ts'
import type { ApiRequest } from './http/request.ts'
import { requestIdOf, respond } from './http/respond.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { responseText } from './http/response-text.ts'
import { type Route, splitUrl } from './http/route-table.ts'
import type { JsonValue } from './json/json-value.ts'

/** What a request was refused for before it came here: by the host's middleware, or by a parser. */
export interface Refused {
  readonly error: unknown
}

/** Serves one request, or answers one that was refused; never rejects. */
export const handle = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<ApiResponse> => settle(runtime, request, false, refused)

/** As `handle`, with the body as the text that is to be sent. */
export async function answer(
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<TextResponse> {
  const response = await settle(runtime, request, true, refused)
  const { status, headers, text } = response
  return { status, headers, text: text ?? responseText(response) }
}

/** An answer whose body may be written already. */
type Settled = ApiResponse & { readonly text?: string }

async function settle(
  runtime: Runtime,
  request: ApiRequest,
  wantsText: boolean,
  refused?: Refused,
): Promise<Settled> {
  const started = runtime.clock.elapsed()
  const requestId = requestIdOf(request)
  const stamp = (): Stamp => ({
    version: runtime.settings.version,
    requestId,
    now: runtime.clock.now(),
    elapsed: runtime.clock.elapsed() - started,
  })
  // Settings of the API until the route is known, of its resource from then on.
  let { hooks, dump } = runtime.settings
  const always: Record<string, string> = {}
  const answerFailure = async (error: unknown): Promise<Settled> => {
    const failure = error instanceof ApiError ? error : internalError(requestId)
    if (failure !== error || failure.status >= 500) runtime.report(error, request)
    const refusal = refusalOf(request, requestId, failure)
    if (refusal !== undefined) runtime.refused(refusal)
    await runError(hooks, error, request).catch((e: unknown) => runtime.report(e, request))
    const body = failureBody(failure.status, failure.body, stamp(), dump)
    const final = await runFinal(hooks, body).catch((e: unknown) => {
      runtime.report(e, request)
      return body
    })
    return respond(failure.status, final, requestId, { ...always, ...failure.headers })
  }
  const answerSuccess = async (result: Result): Promise<Settled> => {
    const bare = dump.envelope ? {} : bareHeaders(result)
    const headers = { ...always, ...bare, ...result.headers }
    if (result.empty) return respond(result.status, undefined, requestId, headers)
    if (wantsText && hooks.final === undefined) {
      const text = successText(result, stamp(), dump)
      return { ...respond(result.status, null, requestId, headers), text }
    }
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
    const { call, route } = openCall(runtime, request, wantsText && runtime.fastPaths.textAnswers)
    hooks = call.hooks
    dump = call.resource.settings.dump
    return await answerSuccess(await serve(call, route, always))
  } catch (error) {
    return answerFailure(error)
  }
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
  const result = await answerRoute(known, route)
  const value = await runReturn(call.hooks, result.value, hookArgs(known))
  return withTag(call.request, { ...result, value })
}
