// handle, answer and answerInProcess: the pipeline of a request: finds the endpoint of its path, runs it, and makes the response of its result,
// each in its own form. Errors of all stages are caught here and nowhere else.

import { hostVary, isUser } from './access/caller.ts'
import { type KnownCall, requestArgs } from './access/hooks/hook-args.ts'
import { runError, runFinal } from './access/hooks/read-hooks.ts'
import type { SignIn } from './auth/sign-in.ts'
import { ClientError } from './client/client-error.ts'
import { unavailableFor } from './database/statements/failed-statements.ts'
import { ApiError, internalError, UnreadBody, withBody } from './errors.ts'
import { prefersProblem } from './http/accept.ts'
import { serveBatch } from './http/batch/serve-batch.ts'
import type { Call, LatestCall, Runtime } from './http/call/call.ts'
import { checkRequest } from './http/check-request.ts'
import { authEndpointAt, serveAuth } from './http/endpoints/auth/auth-route.ts'
import type { AuthEndpoint } from './http/endpoints/auth/endpoints.ts'
import {
  errorPageFor,
  hasPages,
  indexPageFor,
  type MakePage,
  recordsPageFor,
} from './http/endpoints/reads/page-choice.ts'
import type { DocsPart } from './http/endpoints/routing/docs-part.ts'
import { docsPartAt } from './http/endpoints/routing/docs-part.ts'
import {
  refuseLongUrl,
  responseSettingsOf,
  routeRequest,
  type SplitUrl,
} from './http/endpoints/routing/route-request.ts'
import { serveCall } from './http/endpoints/routing/serve-call.ts'
import { refusalOfUnread } from './http/endpoints/routing/unread-body.ts'
import { type HealthPart, healthPartAt, serveHealth } from './http/endpoints/service/health.ts'
import {
  bareHeaders,
  failureBody,
  type Result,
  type Stamp,
  successBody,
  successText,
  valueInBody,
} from './http/envelope.ts'
import { problemDetails, problemMediaType } from './http/problem-details.ts'
import { reportedRefusal } from './http/reported-refusal.ts'
import { requestIdOf, respond, respondText } from './http/respond.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { responseText } from './http/response-text.ts'
import { isIndex, splitUrl } from './http/route-table.ts'
import type { ErrorBody } from './lib/error-body.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import { notJson } from './lib/json/not-json.ts'
import { lazyModule } from './lib/lazy-module.ts'
import { andThen, type MaybePromise } from './lib/maybe-promise.ts'
import { valueForHost } from './model/hooks/host-values.ts'
import type { ApiRequest } from './model/request.ts'
import type { Route } from './model/route.ts'
import type { RequestArgs } from './model/settings/access/hook-types.ts'
import type { HookSettings } from './model/settings/access/resolve-hooks.ts'
import type { DumpSettings } from './model/settings/settings.ts'
import { queryMediaType } from './write/body/query-body.ts'

const docs = lazyModule(() => import('./openapi/endpoint/docs.ts'))
const index = lazyModule(() => import('./http/endpoints/service/service-index.ts'))

/** The error with which the host's middleware or a parser refused a request before the pipeline. */
export interface Refused {
  readonly error: unknown
}

/** Serves a request, or responds to one that was refused before; never rejects. */
export const handle = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<ApiResponse> => runPipeline(runtime, request, asObject, refused)

/** Serves a request as `handle` does, with the body as text. */
export const answer = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<TextResponse> => runPipeline(runtime, request, asText, refused)

/** Serves a request as `handle` does, without an envelope around a success, for code of the host in this process. */
export const answerInProcess = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<ProcessResponse> => runPipeline(runtime, request, asResult, refused)

/** A response to code of the host in this process: the result of a success, or the body of a failure and its error. */
export type ProcessResponse = ResultResponse | (ApiResponse & { readonly cause: unknown })

interface ResultResponse extends Pick<ApiResponse, 'status' | 'headers' | 'cookies'> {
  readonly result: Result
}

/** A response whose body is an object or text, or the result before a body is made of it. */
type Settled = ApiResponse | TextResponse | ResultResponse

/** Whether the caller needs the body as an object or as text, or the result. */
interface BodyForm<R> {
  readonly wants: 'object' | 'text' | 'result'
  /** `error`: why the request failed. */
  readonly form: (settled: Settled, error?: unknown) => R
}

const asObject: BodyForm<ApiResponse> = {
  wants: 'object',
  form: (settled) => {
    if (!('body' in settled))
      throw new Error('the body was serialised although the caller needs an object')
    return settled
  },
}

const asText: BodyForm<TextResponse> = {
  wants: 'text',
  form: (settled) => {
    if ('text' in settled) return settled
    const { body: _, ...response } = asObject.form(settled)
    return { ...response, text: responseText(asObject.form(settled)) }
  },
}

const asResult: BodyForm<ProcessResponse> = {
  wants: 'result',
  form: (settled, cause) => ('result' in settled ? settled : { ...asObject.form(settled), cause }),
}

/** The state of a request while it is answered; unlike a `Call`, it changes, so that an error response has what was known last. */
interface Answering extends LatestCall {
  readonly runtime: Runtime
  /** The request as it was sent. */
  readonly sent: ApiRequest
  /** The request that observers of an error receive: the request as sent, or the failed operation of a batch. */
  readonly request: ApiRequest
  readonly requestId: string
  readonly wants: BodyForm<unknown>['wants']
  /** Whether the body is needed as text. */
  readonly wantsText: boolean
  readonly started: number
  /** The API's settings until the route is known, then those of its resource. */
  hooks: HookSettings
  dump: DumpSettings
  /** What callbacks receive about a request without a call: its route and its caller, as soon as they are known. */
  known: KnownCall
  /** Whether a user has been identified, besides the caller in `known`: of the documentation, or of an operation of a batch. */
  identified: boolean
  /** Whether errors are sent as problem details. */
  asProblem: boolean
  /** Whether the client can choose between JSON and an HTML page. */
  negotiates: boolean
  /** Renders the response as an HTML page; undefined if it is sent as JSON. */
  page: MakePage | undefined
  /** Headers of every response to this request, including errors. */
  readonly always: Record<string, string>
}

/** Runs the pipeline, and gives the response the form that the caller needs. */
async function runPipeline<R>(
  runtime: Runtime,
  request: ApiRequest,
  { wants, form }: BodyForm<R>,
  refused?: Refused,
): Promise<R> {
  const { settings, clock } = runtime
  const answering: Answering = {
    runtime,
    sent: request,
    request,
    requestId: requestIdOf(request),
    wants,
    wantsText: wants === 'text',
    started: clock.elapsed(),
    hooks: settings.hooks,
    dump: settings.dump,
    call: undefined,
    known: {},
    identified: false,
    asProblem: false,
    negotiates: false,
    page: undefined,
    always: {},
  }
  try {
    answering.asProblem = prefersProblem(request)
    if (refused !== undefined) {
      Object.assign(answering, responseSettingsOf(runtime.routing.table, request))
      const error = refusalOfCall(refused.error)
      if (!(error instanceof UnreadBody)) throw error
      throw refusalOfUnread(runtime, request, error, () => stampOf(answering))
    }
    checkRequest(request)
    refuseLongUrl(settings, request)
    const answered = answerAt(answering, splitUrl(request.url))
    return form(answered instanceof Promise ? await answered : answered)
  } catch (error) {
    try {
      return form(await answerFailure(answering, error), error)
    } catch (failure) {
      runtime.host.report(failure, request)
      return form(plainFailure(answering), error)
    }
  }
}

/** The refusal that a call of `api.as` has met, if a route of the host throws the error of that call. */
const refusalOfCall = (error: unknown): unknown =>
  error instanceof ClientError && error.cause instanceof ApiError ? error.cause : error

/** Answers a request by the endpoint to which its path belongs. */
function answerAt(answering: Answering, place: SplitUrl): MaybePromise<Settled> {
  const { settings, routing } = answering.runtime
  const { path } = place
  const part = docsPartAt(settings.docs, path)
  if (part !== undefined) return answerDocs(answering, part)
  const health = healthPartAt(settings.healthRoute, path)
  if (health !== undefined) return answerHealth(answering, health)
  const endpoint = authEndpointAt(settings.auth.routes, path)
  if (endpoint !== undefined) return answerAuth(answering, endpoint)
  if (isIndex(routing.table, path)) return answerIndex(answering)
  if (settings.batch?.path === path) return answerBatch(answering)
  return answerRouted(answering, place)
}

async function answerHealth(answering: Answering, part: HealthPart): Promise<Settled> {
  const { runtime, request, always } = answering
  always['cache-control'] = 'no-store'
  const result = await serveHealth(runtime.database.readiness, request, part)
  return result instanceof ApiError
    ? respondFailure(answering, result)
    : answerSuccess(answering, result)
}

async function answerAuth(answering: Answering, endpoint: AuthEndpoint): Promise<Settled> {
  const { runtime, request, always } = answering
  always['cache-control'] = 'no-store'
  const result = await serveAuth(runtime, request, endpoint, (call) => {
    answering.known = call
  })
  return answerSuccess(answering, result)
}

async function answerIndex(answering: Answering): Promise<Settled> {
  const { runtime, request, always } = answering
  answering.negotiates = hasPages(runtime.settings, request)
  answering.page = answering.negotiates ? indexPageFor(runtime.settings, request) : undefined
  const { serveIndex } = await index()
  const result = await serveIndex(runtime, request, always, (caller) => {
    answering.known = { caller }
  })
  return answerSuccess(answering, result)
}

async function answerBatch(answering: Answering): Promise<Settled> {
  const { runtime, request, wantsText, always } = answering
  const result = await serveBatch(runtime, request, {
    wantsText,
    stamp: () => stampOf(answering),
    always,
    identified({ authenticated }) {
      answering.identified ||= authenticated
    },
    failed(call) {
      const { request: operation, hooks, resource } = call
      const { dump } = resource.settings
      Object.assign(answering, { request: operation, hooks, dump, known: call })
    },
  })
  return answerSuccess(answering, result)
}

/** Answers a request for a resource. */
function answerRouted(answering: Answering, place: SplitUrl): MaybePromise<Settled> {
  const { runtime, request, wantsText, always } = answering
  const stamp = () => stampOf(answering)
  // Before the route is known, so that a hidden path is refused like an unknown one.
  Object.assign(always, hostVary(request.user))
  const { call: routed, route } = routeRequest(runtime, request, place, { wantsText, stamp })
  answering.hooks = routed.hooks
  answering.dump = routed.resource.settings.dump
  if (routed.isQuery) always['accept-query'] = queryMediaType
  const paged = !routed.isQuery && hasPages(runtime.settings, request)
  const call = paged ? asPageIfPreferred(answering, routed, route) : routed
  answering.call = call
  return andThen(serveCall(call, route, answering), (result) => answerSuccess(answering, result))
}

/** Decides whether a read is answered with an HTML page, and returns its call. */
function asPageIfPreferred(answering: Answering, call: Call, route: Route): Call {
  answering.negotiates = true
  answering.page = recordsPageFor(answering, route, call.request)
  if (answering.page === undefined) return call
  return { ...call, asText: false, endsAsText: false, asPage: true }
}

const stampOf = ({ runtime: { settings, clock }, requestId, started }: Answering): Stamp => ({
  version: settings.version,
  requestId,
  now: clock.now(),
  elapsed: clock.elapsed() - started,
})

const ofUser = { 'cache-control': 'private, no-cache' } as const

/**
 * Returns the header that keeps the response to a user out of shared caches; undefined for an anonymous caller. It is decided by the
 * caller, whether a strategy or the host has authenticated it. Until the caller is known, a user whom the host gives counts.
 */
const privacyOf = ({ call, known, identified, sent }: Answering): typeof ofUser | undefined =>
  identified || (call ?? known).caller?.authenticated === true || isUser(sent.user)
    ? ofUser
    : undefined

async function answerDocs(answering: Answering, part: DocsPart): Promise<Settled> {
  const { runtime, request, requestId, wantsText } = answering
  const identified = (): void => {
    answering.identified = true
  }
  const { serveDocs } = await docs()
  const { status, body, bytes, headers } = await serveDocs(
    runtime,
    request,
    part,
    wantsText,
    identified,
  )
  const last = [headers, privacyOf(answering)]
  if (wantsText && typeof body === 'string') {
    const response = respondText(status, body, requestId, ...last)
    return bytes === undefined ? response : { ...response, bytes }
  }
  return respond(status, body as JsonValue | undefined, requestId, ...last)
}

/** Makes the response of an endpoint's result: final callback, envelope or page, headers, cookies. */
function answerSuccess(answering: Answering, result: Result): MaybePromise<Settled> {
  const { cookies } = result
  const settled = settledSuccess(answering, result)
  return cookies === undefined ? settled : andThen(settled, (sent) => ({ ...sent, cookies }))
}

/** `answerSuccess` without the cookies. */
function settledSuccess(answering: Answering, result: Result): MaybePromise<Settled> {
  const { requestId, wants, wantsText, hooks, dump, always, page, negotiates } = answering
  if (page !== undefined && !result.empty) return answerPage(answering, result, page)
  if (negotiates) always.vary = variesByAccept(always)
  const bare = dump.envelope ? undefined : bareHeaders(result)
  const { status, headers } = result
  const first = privacyOf(answering)
  if (wantsText && hooks.final === undefined && !result.empty) {
    const text = successText(result, stampOf(answering), dump)
    return respondText(status, text, requestId, first, always, bare, headers)
  }
  const sent = (body: JsonValue | undefined): ApiResponse =>
    respond(status, body, requestId, first, always, bare, headers)
  if (wants === 'result') {
    const shown = hooks.final === undefined ? result : finalResult(answering, result)
    return andThen(shown, (own) => ({ status, headers: sent(undefined).headers, result: own }))
  }
  if (result.empty) return sent(undefined)
  if (result.body !== undefined) return sent(result.body)
  return finalBody(answering, successBody(result, stampOf(answering), dump)).then(sent)
}

/** Returns the result with the value that the final callback leaves in the body. */
async function finalResult(answering: Answering, result: Result): Promise<Result> {
  if (result.empty) return result
  const sent = successBody(result, stampOf(answering), answering.dump)
  const body = result.body ?? (await finalBody(answering, sent))
  return { ...result, value: valueInBody(body, sent, result) }
}

/** Passes a body through the final callback. */
const finalBody = (answering: Answering, body: JsonValue): Promise<JsonValue> =>
  runFinal(answering.runtime.host, answering.hooks, body, () => argsOf(answering))

/** Returns what the callbacks final and error receive about the request. */
const argsOf = ({ runtime, request, call, known, sent }: Answering): RequestArgs =>
  requestArgs(runtime, request, call ?? known, sent)

/** Sends a success as an HTML page. */
async function answerPage(answering: Answering, result: Result, page: MakePage): Promise<Settled> {
  const { requestId, wantsText, hooks, dump, always } = answering
  const made = () => finalBody(answering, successBody(result, stampOf(answering), dump))
  const body = result.body ?? (await made())
  const { html, headers: ofPage } = await page(body, result, hooks.final !== undefined)
  const headers = {
    'cache-control': 'no-cache',
    ...privacyOf(answering),
    ...always,
    ...result.headers,
    ...ofPage,
    vary: variesByAccept(always),
  }
  return wantsText
    ? respondText(result.status, html, requestId, headers)
    : respond(result.status, html, requestId, headers)
}

/** Adds `Accept` to the Vary header, for a response whose form the client can choose. */
const variesByAccept = ({ vary }: Readonly<Record<string, string>>): string =>
  vary === undefined ? 'Accept' : `${vary}, Accept`

/** Makes the response of an error; reports it to `onError` or `onRefusal`, and calls the error callback. */
async function answerFailure(answering: Answering, thrown: unknown): Promise<Settled> {
  const { runtime, request, requestId, hooks } = answering
  const error = unavailableFor(thrown) ?? thrown
  // An ApiError of the host may have a reason that is not JSON.
  const sendable = error instanceof ApiError && notJson(error.body) === undefined
  const failure = sendable ? copyOf(error) : internalError(requestId)
  if (!sendable || failure.status >= 500) runtime.host.report(error, request)
  const refusal = reportedRefusal(request, requestId, failure)
  if (refusal !== undefined) runtime.host.refused(refusal)
  await runError(runtime.host, hooks, error, () => argsOf(answering)).catch((e: unknown) =>
    runtime.host.report(e, request),
  )
  return respondFailure(answering, failure)
}

/** The error with a copy of its body, because callbacks receive the error itself. */
const copyOf = (error: ApiError): ApiError =>
  withBody(error, valueForHost(error.body as unknown as JsonValue) as unknown as ErrorBody)

/** Builds the response to an error that has been reported. */
async function respondFailure(answering: Answering, failure: ApiError): Promise<Settled> {
  const { runtime, request, dump } = answering
  const body = failureBody(failure.status, failure.body, stampOf(answering), dump)
  const final = await finalBody(answering, valueForHost(body)).catch((e: unknown) => {
    runtime.host.report(e, request)
    return body
  })
  const makePage = answering.asProblem ? undefined : errorPageFor(runtime.settings, answering.sent)
  if (makePage === undefined) {
    return sentFailure(answering, failure, final, failure.headers)
  }
  const page = await makePage(failure.status, final)
  return sentFailure(answering, failure, page.html, failure.headers, page.headers)
}

/** Builds the response if building an error response fails. */
function plainFailure(answering: Answering): Settled {
  const failure = internalError(answering.requestId)
  const body = failureBody(failure.status, failure.body, stampOf(answering), answering.dump)
  return sentFailure(answering, failure, body)
}

/**
 * Sends the body of an error. Problem details are made from the envelope, so members that a final callback has removed are missing
 * in them.
 */
function sentFailure(
  answering: Answering,
  { status }: ApiError,
  envelope: JsonValue,
  ...headers: readonly (Readonly<Record<string, string>> | undefined)[]
): Settled {
  const { runtime, requestId, asProblem, always } = answering
  const problem = asProblem ? problemDetails(envelope, { status, requestId }) : undefined
  const others = [always, ...headers].flatMap((some) => some?.vary ?? [])
  const vary = { vary: [...others, 'Accept'].join(', ') }
  const form =
    problem === undefined ? undefined : { 'content-type': `${problemMediaType}; charset=utf-8` }
  const first = { ...privacyOf(answering), ...(status === 401 ? challengeOf(runtime.signIn) : {}) }
  return respond(status, problem ?? envelope, requestId, first, always, ...headers, vary, form)
}

/** The challenge of a 401 that the host or a hook has thrown without one; RFC 9110 (15.5.2) requires it. */
const challengeOf = ({ auth }: SignIn): Readonly<Record<string, string>> => ({
  'www-authenticate': auth.challenge,
})
