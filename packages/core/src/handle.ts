// handle and answer: the pipeline of a request; errors of all stages are caught here and nowhere else.

import { hostVary, isUser } from './access/caller.ts'
import { type KnownCall, requestArgs } from './access/hook-args.ts'
import { runError, runFinal } from './access/hooks/read-hooks.ts'
import { ApiError, internalError, UnreadBody, withBody } from './errors.ts'
import { prefersProblem } from './http/accept.ts'
import { serveBatch } from './http/batch/serve-batch.ts'
import type { Runtime } from './http/call/call.ts'
import { checkRequest } from './http/check-request.ts'
import { authEndpointAt, serveAuth } from './http/endpoints/auth/auth-route.ts'
import type { AuthEndpoint } from './http/endpoints/auth/endpoints.ts'
import {
  errorPageFor,
  hasPages,
  indexPageFor,
  type MakePage,
  pageContent,
  pageHeaders,
  recordsPageFor,
} from './http/endpoints/reads/pages.ts'
import type { DocsPart } from './http/endpoints/routing/docs-part.ts'
import { docsPartAt } from './http/endpoints/routing/docs-part.ts'
import {
  type RoutedCall,
  refuseLongUrl,
  responseSettingsOf,
  routeRequest,
  type SplitUrl,
} from './http/endpoints/routing/route-request.ts'
import { serveCall } from './http/endpoints/routing/serve-call.ts'
import { refusalOfUnread } from './http/endpoints/routing/unread-body.ts'
import { type HealthPart, healthPartAt, serveHealth } from './http/endpoints/service/health.ts'
import { serveIndex } from './http/endpoints/service/service-index.ts'
import {
  bareHeaders,
  failureBody,
  type Result,
  type Stamp,
  successBody,
  successText,
} from './http/envelope.ts'
import { problemDetails, problemMediaType } from './http/problem-details.ts'
import { refusalOf } from './http/reported-refusal.ts'
import { requestIdOf, respond, respondText } from './http/respond.ts'
import type { ApiResponse, TextResponse } from './http/response.ts'
import { responseText } from './http/response-text.ts'
import { isIndex, splitUrl } from './http/route-table.ts'
import { startTiming, type Timing } from './http/server-timing.ts'
import type { ErrorBody } from './lib/error-body.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import { notJson } from './lib/json/not-json.ts'
import { andThen, type MaybePromise } from './lib/maybe-promise.ts'
import { valueForHost } from './model/hooks/host-values.ts'
import type { ApiRequest } from './model/request.ts'
import type { Route } from './model/route.ts'
import type { RequestArgs } from './model/settings/access/hook-types.ts'
import type { HookSettings } from './model/settings/access/resolve-hooks.ts'
import type { DumpSettings } from './model/settings/settings.ts'
import { serveDocs } from './openapi/endpoint/docs.ts'
import { queryMediaType } from './write/body/query-body.ts'

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

/** Serves a request as `handle` does, with the body as text. */
export const answer = (
  runtime: Runtime,
  request: ApiRequest,
  refused?: Refused,
): Promise<TextResponse> => settle(runtime, request, asText, refused)

/** A response whose body is an object or text. */
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
  /** The request as it was sent. */
  readonly sent: ApiRequest
  /** The request that observers of an error receive: the request as sent, or the failed operation of a batch. */
  readonly request: ApiRequest
  readonly requestId: string
  /** Whether the body is needed as text. */
  readonly wantsText: boolean
  readonly started: number
  readonly timing: Timing | undefined
  /** The API's settings until the route is known, then those of its resource. */
  hooks: HookSettings
  dump: DumpSettings
  /** What callbacks receive about the request: its route and its caller, as soon as they are known. */
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

async function settle<R>(
  runtime: Runtime,
  request: ApiRequest,
  { wantsText, form }: BodyForm<R>,
  refused?: Refused,
): Promise<R> {
  const { settings, clock } = runtime
  const answering: Answering = {
    runtime,
    sent: request,
    request,
    requestId: requestIdOf(request),
    wantsText,
    started: clock.elapsed(),
    timing: settings.serverTiming ? startTiming(() => clock.elapsed()) : undefined,
    hooks: settings.hooks,
    dump: settings.dump,
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
      Object.assign(answering, responseSettingsOf(runtime, request))
      const { error } = refused
      if (!(error instanceof UnreadBody)) throw error
      throw refusalOfUnread(runtime, request, error, () => stampOf(answering))
    }
    checkRequest(request)
    refuseLongUrl(runtime, request)
    const answered = answerAt(answering, splitUrl(request.url))
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

/** Answers a request by the endpoint to which its path belongs. */
function answerAt(answering: Answering, place: SplitUrl): MaybePromise<Settled> {
  const { settings, routes } = answering.runtime
  const { path } = place
  const part = docsPartAt(settings.docs, path)
  if (part !== undefined) return answerDocs(answering, part)
  const health = healthPartAt(settings.healthRoute, path)
  if (health !== undefined) return answerHealth(answering, health)
  const endpoint = authEndpointAt(settings.auth.routes, path)
  if (endpoint !== undefined) return answerAuth(answering, endpoint)
  if (isIndex(routes, path)) return answerIndex(answering)
  if (settings.batch?.path === path) return answerBatch(answering)
  return answerRouted(answering, place)
}

async function answerHealth(answering: Answering, part: HealthPart): Promise<Settled> {
  const { runtime, request, always } = answering
  always['cache-control'] = 'no-store'
  const result = await serveHealth(runtime, request, part)
  return result instanceof ApiError
    ? respondFailure(answering, result)
    : answerSuccess(answering, result)
}

async function answerAuth(answering: Answering, endpoint: AuthEndpoint): Promise<Settled> {
  const { runtime, request, always, timing } = answering
  always['cache-control'] = 'no-store'
  timing?.enter('authenticate')
  const result = await serveAuth(runtime, request, endpoint, (call) => {
    answering.known = call
  })
  return answerSuccess(answering, result)
}

async function answerIndex(answering: Answering): Promise<Settled> {
  const { runtime, request, always } = answering
  answering.negotiates = hasPages(runtime.settings, request)
  answering.page = answering.negotiates ? indexPageFor(runtime, request) : undefined
  const result = await serveIndex(runtime, request, always, (caller) => {
    answering.known = { caller }
  })
  return answerSuccess(answering, result)
}

async function answerBatch(answering: Answering): Promise<Settled> {
  const { runtime, request, wantsText, timing, always } = answering
  const result = await serveBatch(runtime, request, {
    wantsText,
    timing,
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
  const { runtime, request, wantsText, timing, always } = answering
  const stamp = () => stampOf(answering)
  // Before the route is known, so that a hidden path is refused like an unknown one.
  Object.assign(always, hostVary(request.user))
  const { call, route } = routeRequest(runtime, request, place, { wantsText, timing, stamp })
  answering.hooks = call.hooks
  answering.known = call
  answering.dump = call.resource.settings.dump
  if (call.isQuery) always['accept-query'] = queryMediaType
  if (!call.isQuery && hasPages(runtime.settings, request)) choosePage(answering, call, route)
  return andThen(serveCall(call, route, always), (result) => answerSuccess(answering, result))
}

/** Decides whether a read is answered with an HTML page. */
function choosePage(answering: Answering, call: RoutedCall, route: Route): void {
  answering.negotiates = true
  answering.page = recordsPageFor(call, route)
  if (answering.page === undefined) return
  call.asText = false
  call.endsAsText = false
  call.asPage = true
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
const privacyOf = ({ known, identified, sent }: Answering): typeof ofUser | undefined =>
  identified || known.caller?.authenticated === true || isUser(sent.user) ? ofUser : undefined

/** Returns the Server-Timing header. Called last, so that it covers all stages. */
const timed = ({ timing }: Answering): Readonly<Record<string, string>> | undefined =>
  timing && { 'server-timing': timing.header() }

async function answerDocs(answering: Answering, part: DocsPart): Promise<Settled> {
  const { runtime, request, requestId, wantsText } = answering
  const identified = (): void => {
    answering.identified = true
  }
  const { status, body, bytes, headers } = await serveDocs(
    runtime,
    request,
    part,
    wantsText,
    identified,
  )
  const last = [headers, privacyOf(answering), timed(answering)]
  if (wantsText && typeof body === 'string') {
    const response = respondText(status, body, requestId, ...last)
    return bytes === undefined ? response : { ...response, bytes }
  }
  return respond(status, body as JsonValue | undefined, requestId, ...last)
}

function answerSuccess(answering: Answering, result: Result): MaybePromise<Settled> {
  const { requestId, wantsText, hooks, dump, always, page, negotiates } = answering
  if (page !== undefined && !result.empty) return answerPage(answering, result, page)
  if (negotiates) always.vary = variesByAccept(always)
  const bare = dump.envelope ? undefined : bareHeaders(result)
  const { status, headers } = result
  const first = privacyOf(answering)
  if (wantsText && hooks.final === undefined && !result.empty) {
    const text = successText(result, stampOf(answering), dump)
    return respondText(status, text, requestId, first, always, bare, headers, timed(answering))
  }
  const sent = (body: JsonValue | undefined): Settled =>
    respond(status, body, requestId, first, always, bare, headers, timed(answering))
  if (result.empty) return sent(undefined)
  if (result.body !== undefined) return sent(result.body)
  return finalBody(answering, successBody(result, stampOf(answering), dump)).then(sent)
}

/** Passes a body through the final callback. */
const finalBody = (answering: Answering, body: JsonValue): Promise<JsonValue> =>
  runFinal(answering.runtime, answering.hooks, body, () => argsOf(answering))

/** Returns what the callbacks final and error receive about the request. */
const argsOf = ({ runtime, request, known, sent }: Answering): RequestArgs =>
  requestArgs(runtime, request, known, sent)

/** Sends a success as an HTML page. */
async function answerPage(answering: Answering, result: Result, page: MakePage): Promise<Settled> {
  const { requestId, wantsText, hooks, dump, always } = answering
  const made = () => finalBody(answering, successBody(result, stampOf(answering), dump))
  const content = pageContent(result.body ?? (await made()), result, hooks.final !== undefined)
  const html = page(content)
  const headers = {
    'cache-control': 'no-cache',
    ...privacyOf(answering),
    ...always,
    ...result.headers,
    ...(await pageHeaders()),
    vary: variesByAccept(always),
  }
  return wantsText
    ? respondText(result.status, html, requestId, headers, timed(answering))
    : respond(result.status, html, requestId, headers, timed(answering))
}

/** Adds `Accept` to the Vary header, for a response whose form the client can choose. */
const variesByAccept = ({ vary }: Readonly<Record<string, string>>): string =>
  vary === undefined ? 'Accept' : `${vary}, Accept`

async function answerFailure(answering: Answering, error: unknown): Promise<Settled> {
  const { runtime, request, requestId, hooks } = answering
  // An ApiError of the host may have a reason that is not JSON.
  const sendable = error instanceof ApiError && notJson(error.body) === undefined
  const failure = sendable ? copyOf(error) : internalError(requestId)
  if (!sendable || failure.status >= 500) runtime.report(error, request)
  const refusal = refusalOf(request, requestId, failure)
  if (refusal !== undefined) runtime.refused(refusal)
  await runError(runtime, hooks, error, () => argsOf(answering)).catch((e: unknown) =>
    runtime.report(e, request),
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
    runtime.report(e, request)
    return body
  })
  const page = answering.asProblem ? undefined : errorPageFor(runtime, answering.sent)
  if (page === undefined) {
    return sentFailure(answering, failure, final, failure.headers, timed(answering))
  }
  const html = page(failure.status, final)
  return sentFailure(
    answering,
    failure,
    html,
    failure.headers,
    await pageHeaders(),
    timed(answering),
  )
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
  const first = { ...privacyOf(answering), ...(status === 401 ? challengeOf(runtime) : {}) }
  return respond(status, problem ?? envelope, requestId, first, always, ...headers, vary, form)
}

/** The challenge of a 401 that the host or a hook has thrown without one; RFC 9110 (15.5.2) requires it. */
const challengeOf = ({ auth }: Runtime): Readonly<Record<string, string>> => ({
  'www-authenticate': auth.challenge,
})
