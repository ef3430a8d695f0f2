// Admits the operations of a batch before its transaction begins: routes, counts and authenticates each like a separate request. The
// caller, `serve-batch.ts`, then authorises them, and `run-operations.ts` runs them. References in URLs have no values yet and are
// replaced by placeholders; `run-operations.ts` routes the operations again with their values.

import { notInBatch, referencesSeenEarly, unknownPath } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { Route } from '../../model/route.ts'
import type { Call, Runtime } from '../call/call.ts'
import type { Admitted } from '../endpoints/routing/admit.ts'
import { isOwnEndpoint } from '../endpoints/routing/own-endpoint.ts'
import type { MethodFacts } from '../endpoints/routing/route-facts.ts'
import { refuseLongUrl, routeRequest } from '../endpoints/routing/route-request.ts'
import {
  type AdmittedCaller,
  limitAndAuthenticate,
  methodFactsOf,
  needsAdmission,
  needsIdentity,
  setUp,
  withCaller,
} from '../endpoints/routing/serve-call.ts'
import { splitUrl } from '../route-table.ts'
import { noHeaders, type Operation } from './batch-body.ts'
import { urlWithStandIns } from './batch-references.ts'

/** An operation that may run. */
export interface AdmittedOperation {
  readonly operation: Operation
  readonly call: Call
  readonly route: Route
  /** Undefined for OPTIONS. */
  readonly facts: MethodFacts | undefined
  /** The rate limit headers of the operation's result. */
  readonly headers: Readonly<Record<string, string>>
  /** Counts another request of the operation's caller; undefined if the operation has neither a limit nor a strategy. */
  readonly countAgain: Admitted['countAgain'] | undefined
}

/** The part of a batch that all its operations share. */
export interface BatchRequest {
  readonly runtime: Runtime
  /** The request of the batch. */
  readonly request: ApiRequest
  /** The headers of the batch's request that apply to the operations. */
  readonly inherited: Readonly<Record<string, string | readonly string[] | undefined>>
  /** What the calls of all operations have in common. */
  readonly parts: Pick<Call, 'stamp'>
  /** Whether the value of an operation may be JSON text. */
  readonly wantsText: (operation: Operation) => boolean
  /** Headers of the response to the batch, also if it fails; admitting operations adds some, such as `Vary`. */
  readonly always: Record<string, string>
}

/** Returns the function that admits one operation. Call it for the operations in order, one at a time. */
export function operationAdmitter(batch: BatchRequest) {
  const callers = new Map<string, AdmittedCaller>()
  /**
   * Routes and admits an operation; calls `routed` with its call, and again once its caller is known. Throws 404, 405, 414, 429 and 401 as
   * a separate request would. Throws 400 if the operation has references and a function of the host would see the request before they have
   * values.
   */
  return (operation: Operation, routed: (call: Call) => void): MaybePromise<AdmittedOperation> => {
    const request = operationRequest(batch, operation, urlWithStandIns(operation.url))
    const { call, route } = routeOperation(batch, operation, request)
    routed(call)
    if (call.method === 'OPTIONS') {
      return { operation, call, route, facts: undefined, ...unlimited }
    }
    const facts = methodFactsOf(route, call)
    const { inUrl, inBody } = operation.refers
    if ((inUrl || inBody) && isSeenByHost(call, facts.admission)) throw referencesSeenEarly()
    // Continues synchronously if nothing must be awaited, as for a single request.
    const limits = needsAdmission(call, facts)
      ? setUpAndAdmit(batch, call, facts, callers, routed)
      : unlimited
    return andThen(limits, ({ call: own = call, headers, countAgain }) => ({
      operation,
      call: own,
      route,
      facts,
      headers,
      countAgain,
    }))
  }
}

/** The result of the stages limit and authenticate. */
interface Counted extends Pick<AdmittedOperation, 'headers' | 'countAgain'> {
  /** The call with its caller; absent if the caller stays anonymous. */
  readonly call?: Call
}

const unlimited: Counted = { headers: noHeaders, countAgain: undefined }

/** Finds the route of an operation; `request` is the request made from it. */
export function routeOperation(
  batch: BatchRequest,
  operation: Operation,
  request: ApiRequest,
): { readonly call: Call; readonly route: Route } {
  const { runtime, parts } = batch
  refuseLongUrl(runtime.settings, request)
  const place = splitUrl(request.url)
  if (isOwnEndpoint(runtime.settings, runtime.routing.table, place.path))
    throw notInBatch(place.path)
  return routeRequest(runtime, request, place, {
    ...parts,
    wantsText: batch.wantsText(operation),
  })
}

/** Returns the request of an operation: the batch's request with the operation's method, URL, headers and body. */
export function operationRequest(
  { request, runtime, inherited }: BatchRequest,
  { method, headers, body }: Operation,
  url: string,
): ApiRequest {
  return new OperationRequest(request, {
    method,
    url: withoutOrigin(url, runtime.settings.baseUrl, request.baseUrl),
    headers: headers === noHeaders ? { ...inherited } : { ...inherited, ...headers },
    body,
  })
}

/** A class, because in V8 creating an object literal with a getter takes as long as routing a request. */
class OperationRequest implements ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: unknown
  readonly ip?: string
  readonly baseUrl?: string
  readonly host: unknown
  user: unknown
  readonly #batch: ApiRequest

  constructor(
    batch: ApiRequest,
    { method, url, headers, body }: Pick<OperationRequest, 'method' | 'url' | 'headers' | 'body'>,
  ) {
    const { ip, baseUrl, host, user } = batch
    this.method = method
    this.url = url
    this.headers = headers
    if (body !== undefined) this.body = body
    if (ip !== undefined) this.ip = ip
    if (baseUrl !== undefined) this.baseUrl = baseUrl
    this.host = host
    this.user = user
    this.#batch = batch
  }

  get signal(): AbortSignal | undefined {
    return this.#batch.signal
  }
}

/**
 * Removes the origin and the mount prefix from the URL of an operation, which may be a URL taken from a response. Throws 404 for
 * a URL of another origin, even if its path exists in this API.
 */
function withoutOrigin(url: string, base: string, mount = ''): string {
  if (mount === '' && url.startsWith('/')) return url
  const origins = [`${base}${mount}`, mount]
  const origin = origins.find((text) => text !== '' && url.startsWith(`${text}/`))
  if (origin !== undefined) return url.slice(origin.length)
  if (/^https?:/i.test(url)) throw unknownPath(url)
  return url
}

/** Runs the stages setup, limit and authenticate. */
async function setUpAndAdmit(
  batch: BatchRequest,
  call: Call,
  facts: MethodFacts,
  callers: Map<string, AdmittedCaller>,
  routed: (call: Call) => void,
): Promise<Counted> {
  await setUp(call)
  return needsIdentity(call, facts) ? admitCaller(batch, call, facts, callers, routed) : unlimited
}

/** Runs the stages limit and authenticate. Verifies credentials once for all operations that accept the same strategies. */
async function admitCaller(
  { always }: BatchRequest,
  call: Call,
  { admission }: MethodFacts,
  callers: Map<string, AdmittedCaller>,
  routed: (call: Call) => void,
): Promise<Counted> {
  const key = sharedKey(call, admission)
  const before = key === undefined ? undefined : callers.get(key)
  const found = before ?? (await limitAndAuthenticate(call, admission))
  if (key !== undefined) callers.set(key, found)
  const own = withCaller(call, found.caller)
  routed(own)
  const headers = before === undefined ? found.headers : await before.countAgain(admission)
  // Authentication has set the user of the first of these requests alone.
  if (before !== undefined) call.request.user = found.caller.user ?? undefined
  const limits: Record<string, string> = {}
  // The rate limit belongs to the operation, other headers (`Vary`) to the response as a whole.
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('ratelimit')) limits[name] = value
    else always[name] = value
  }
  return { call: own, headers: limits, countAgain: found.countAgain }
}

/** Whether functions of the host receive the request of an operation before it is authorised. */
const isSeenByHost = (
  { hooks, runtime: { settings } }: Call,
  { strategies }: MethodFacts['admission'],
): boolean =>
  hooks.setup !== undefined || (strategies.includes('custom') && !settings.auth.customPerBatch)

/** Returns a string that is equal for operations with the same caller; undefined if functions of the host receive each request. */
function sharedKey(call: Call, admission: MethodFacts['admission']): string | undefined {
  if (isSeenByHost(call, admission)) return undefined
  const { method } = call
  const { strategies, required, secret } = admission
  // Cookies authenticate only reads, and writes from the same origin.
  const reads = method === 'GET' || method === 'HEAD'
  return JSON.stringify([strategies, required, secret, reads])
}
