// handle and answer: the pipeline of a request; errors of all stages are caught here and nowhere else.

import { authorize } from './access/authorize.ts'
import { callerOf } from './access/caller.ts'
import { reachOf } from './access/reach.ts'
import { anonymous } from './access/roles.ts'
import type { Runtime } from './call.ts'
import type { HookSettings } from './config/resolve-hooks.ts'
import type { DumpSettings } from './config/settings.ts'
import { type Admission, admitCall, needsNoAdmission } from './endpoints/admit.ts'
import { answerRoute } from './endpoints/answer-route.ts'
import { authEndpointAt, serveAuth } from './endpoints/auth/route.ts'
import { type DocsPart, docsPartAt, serveDocs } from './endpoints/docs.ts'
import { runReturnAndTag } from './endpoints/finish.ts'
import { healthPartAt, serveHealth } from './endpoints/health.ts'
import { factsOf, type MethodFacts } from './endpoints/route-facts.ts'
import {
  type RoutedCall,
  refuseLongUrl,
  responseSettingsOf,
  routeRequest,
} from './endpoints/route-request.ts'
import { ApiError, internalError, methodNotAllowed } from './errors.ts'
import { runError, runFinal, runSetup } from './hooks/read-hooks.ts'
import { checkRequest } from './http/check-request.ts'
import {
  bareHeaders,
  failureBody,
  type Result,
  type Stamp,
  successBody,
  successText,
} from './http/envelope.ts'
import { refusalOf } from './http/refusal.ts'
import type { ApiRequest } from './http/request.ts'
import { requestIdOf, respond, respondText } from './http/respond.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { responseText } from './http/response-text.ts'
import { type Route, splitUrl } from './http/route-table.ts'
import { startTiming, type Timing } from './http/server-timing.ts'
import type { JsonValue } from './json/json-value.ts'
import { notJson } from './json/not-json.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'

/** The error with which the host's middleware or a parser refused a request before the pipeline. */
export interface Refused {
  readonly error: unknown
}

/** Serves a request, or responds to one that was refused before; never rejects. */
export const handle = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<ApiResponse> => settle(runtime, request, asObject, refused)

/** `handle` with the body as text. */
export const answer = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<TextResponse> => settle(runtime, request, asText, refused)

/** A response with its body as an object or as text. */
type Settled = ApiResponse | TextResponse

/** Whether the caller needs the body as an object or as text. */
interface BodyForm<R> {
  readonly wantsText: boolean
  readonly form: (settled: Settled) => R
}

const asObject: BodyForm<ApiResponse> = {
  wantsText: false,
  form: (settled) => {
    if ('text' in settled)
      throw new Error('the body was serialised although the caller needs an object')
    return settled
  },
}

const asText: BodyForm<TextResponse> = {
  wantsText: true,
  form: (settled) => {
    if ('text' in settled) return settled
    const { status, headers } = settled
    return { status, headers, text: responseText(settled) }
  },
}

/** The state of a request while it is answered. */
interface Answering {
  readonly runtime: Runtime
  readonly request: ApiRequest
  readonly requestId: string
  /** Whether the body is needed as text. */
  readonly wantsText: boolean
  readonly started: number
  readonly timing: Timing | undefined
  /** The API's settings until the route is known, then those of its resource. */
  hooks: HookSettings
  dump: DumpSettings
  /** Headers of every response to this request, including errors. */
  readonly always: Record<string, string>
}

async function settle<R>(
  runtime: Runtime,
  request: ApiRequest,
  { wantsText, form }: BodyForm<R>,
  refused?: Refused,
): Promise<R> {
  const { settings, clock } = runtime
  const answering: Answering = {
    runtime,
    request,
    requestId: requestIdOf(request),
    wantsText,
    started: clock.elapsed(),
    timing: settings.serverTiming ? startTiming(() => clock.elapsed()) : undefined,
    hooks: settings.hooks,
    dump: settings.dump,
    always: {},
  }
  try {
    if (refused !== undefined) {
      const { hooks, dump } = responseSettingsOf(runtime, request) ?? settings
      Object.assign(answering, { hooks, dump })
      throw refused.error
    }
    checkRequest(request)
    refuseLongUrl(runtime, request)
    const place = splitUrl(request.url)
    const part = docsPartAt(settings.docs, place.path)
    if (part !== undefined) return form(await answerDocs(answering, part))
    const health = healthPartAt(settings.healthRoute, place.path)
    if (health !== undefined) {
      answering.always['cache-control'] = 'no-store'
      const result = await serveHealth(runtime, request, health)
      return form(
        result instanceof ApiError
          ? await respondFailure(answering, result)
          : await answerSuccess(answering, result),
      )
    }
    const endpoint = authEndpointAt(settings.auth.routes, place.path)
    if (endpoint !== undefined) {
      answering.always['cache-control'] = 'no-store'
      answering.timing?.enter('authenticate')
      return form(await answerSuccess(answering, await serveAuth(runtime, request, endpoint)))
    }
    const { call, route } = routeRequest(runtime, request, place, {
      wantsText,
      timing: answering.timing,
      stamp: () => stampOf(answering),
    })
    answering.hooks = call.hooks
    answering.dump = call.resource.settings.dump
    const answered = answerSuccess(answering, await serve(call, route, answering.always))
    return form(answered instanceof Promise ? await answered : answered)
  } catch (error) {
    try {
      return form(await answerFailure(answering, error))
    } catch (failure) {
      runtime.report(failure, request)
      return form(plainFailure(answering))
    }
  }
}

const stampOf = ({ runtime: { settings, clock }, requestId, started }: Answering): Stamp => ({
  version: settings.version,
  requestId,
  now: clock.now(),
  elapsed: clock.elapsed() - started,
})

/** The Server-Timing header; computed last, so that it covers all stages. */
const timed = ({ timing }: Answering): Readonly<Record<string, string>> | undefined =>
  timing && { 'server-timing': timing.header() }

async function answerDocs(answering: Answering, part: DocsPart): Promise<Settled> {
  const { runtime, request, requestId } = answering
  const { status, body, headers } = await serveDocs(runtime, request, part)
  return respond(status, body as JsonValue | undefined, requestId, headers, timed(answering))
}

function answerSuccess(answering: Answering, result: Result): MaybePromise<Settled> {
  const { requestId, wantsText, hooks, dump, always } = answering
  const bare = dump.envelope ? undefined : bareHeaders(result)
  const { status, headers } = result
  if (wantsText && hooks.final === undefined && !result.empty) {
    const text = successText(result, stampOf(answering), dump)
    return respondText(status, text, requestId, always, bare, headers, timed(answering))
  }
  const sent = (body: JsonValue | undefined): Settled =>
    respond(status, body, requestId, always, bare, headers, timed(answering))
  if (result.empty) return sent(undefined)
  if (result.body !== undefined) return sent(result.body)
  return runFinal(answering.runtime, hooks, successBody(result, stampOf(answering), dump)).then(
    sent,
  )
}

async function answerFailure(answering: Answering, error: unknown): Promise<Settled> {
  const { runtime, request, requestId, hooks } = answering
  // The reason of a host's ApiError may not be serialisable.
  const sendable = error instanceof ApiError && notJson(error.body) === undefined
  const failure = sendable ? error : internalError(requestId)
  if (failure !== error || failure.status >= 500) runtime.report(error, request)
  const refusal = refusalOf(request, requestId, failure)
  if (refusal !== undefined) runtime.refused(refusal)
  await runError(runtime, hooks, error, request).catch((e: unknown) => runtime.report(e, request))
  return respondFailure(answering, failure)
}

/** The response to an error that has been reported. */
async function respondFailure(answering: Answering, failure: ApiError): Promise<Settled> {
  const { runtime, request, requestId, hooks, dump, always } = answering
  const body = failureBody(failure.status, failure.body, stampOf(answering), dump)
  const final = await runFinal(runtime, hooks, body).catch((e: unknown) => {
    runtime.report(e, request)
    return body
  })
  return respond(failure.status, final, requestId, always, failure.headers, timed(answering))
}

/** The response if building an error response fails. */
function plainFailure(answering: Answering): Settled {
  const { requestId, dump, always } = answering
  const { status, body } = internalError(requestId)
  return respond(status, failureBody(status, body, stampOf(answering), dump), requestId, always)
}

/** Runs the stages after routing; headers added to `always` are sent even if a stage fails. */
function serve(
  call: RoutedCall,
  route: Route,
  always: Record<string, string>,
): MaybePromise<Result> {
  const { method, hooks } = call
  const { allowed, methods } = factsOf(route)
  if (method === 'OPTIONS') {
    const headers = { allow: allowed.join(', ') }
    return { status: 204, value: null, total: undefined, empty: true, headers }
  }
  const facts = methods.get(method)
  if (facts === undefined) throw methodNotAllowed(method, allowed)
  // Continues synchronously if nothing must be awaited: a promise costs about as much as a small stage.
  return hooks.setup === undefined && !needsIdentity(call, facts)
    ? admitted(call, route, facts)
    : admit(call, facts, always).then(() => admitted(call, route, facts))
}

/** Whether the request needs the stages limit and authenticate. */
const needsIdentity = ({ request }: RoutedCall, { admission }: MethodFacts): boolean =>
  !needsNoAdmission(admission) || (request.user ?? false) !== false

/** The stages setup, limit and authenticate. */
async function admit(
  call: RoutedCall,
  facts: MethodFacts,
  always: Record<string, string>,
): Promise<void> {
  const { request, hooks, timing } = call
  if (hooks.setup !== undefined) {
    timing?.enter('setup')
    await runSetup(call.runtime, hooks, request)
  }
  // The setup callback may have set `request.user`.
  if (needsIdentity(call, facts)) await identify(call, facts.admission, always)
}

/** The stages from authorize on. */
function admitted(call: RoutedCall, route: Route, { checks }: MethodFacts): MaybePromise<Result> {
  authorize(call.caller, checks)
  call.timing?.enter('plan')
  return andThen(answerRoute(call, route), (result) => runReturnAndTag(call, result))
}

/** The stages limit and authenticate; sets the caller of the request. */
async function identify(
  call: RoutedCall,
  admission: Admission,
  always: Record<string, string>,
): Promise<void> {
  const { user, strategy, headers } = await admitCall(call, admission)
  Object.assign(always, headers)
  const { callHook, registry } = call.runtime
  const caller = await callerOf(callHook, user, registry.users?.model, strategy)
  if (caller === anonymous) return
  call.caller = caller
  call.reach = reachOf(caller)
}
