// The typed client in this process: `api.as(user)`, and `args.as.user` and `args.as.system` of hooks. Its transport calls the pipeline of a
// request (`handle.ts`) instead of HTTP, with the sender given by the host.

import { isUser } from './access/caller.ts'
import type { HookCall } from './access/hooks/hook-call.ts'
import { noPolicies } from './access/policies/policy.ts'
import { system } from './access/roles/roles.ts'
import type { GivenCaller } from './auth/given-caller.ts'
import type { Limiter } from './auth/limits/limiter.ts'
import type { CallRequest, Result, Transport } from './client/client-call.ts'
import { segmentOf } from './client/collection-name.ts'
import { type Client, clientOver } from './client/create-client.ts'
import { cursorIn, failed, failureOf } from './client/transport.ts'
import { placeOn } from './database/leases/nested-requests.ts'
import { answerInProcess, type ProcessResponse } from './handle.ts'
import type { Runtime } from './http/call/call.ts'
import { headersForHooks } from './http/inherited-headers.ts'
import { asParsed } from './lib/json/as-parsed.ts'
import { copyJson } from './lib/json/copy.ts'
import type { JsonValue } from './lib/json/json-value.ts'
import { lruMap } from './lib/lru-map.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { LetterCase } from './lib/naming/case.ts'
import type { AnyDatabase } from './lib/sql/any-database.ts'
import { type ApiRequest, withLowerCaseNames } from './model/request.ts'
import { queryMediaType } from './write/body/query-body.ts'

/** How many requests hooks may make one inside another. */
const deepest = 8

/** The rate limiter of requests of this process, which are not limited. */
const unlimited: Limiter = { count: async () => ({}), check: async () => {} }

/** A client whose requests are those of a user, of nobody (null) or of the system. */
export const clientFor = <A>(
  runtime: Runtime,
  user: unknown,
  db: AnyDatabase | undefined,
): Client<A> => clientOn(runtime, user === 'system' ? { user: null, caller: system } : { user }, db)

/** The client that a hook receives: in the transaction of its request, as its caller or as the system. */
function clientInHook(
  runtime: Runtime,
  { request, caller, transaction, runtime: { database } }: HookCall,
  as: 'caller' | 'system',
  trail: readonly string[],
): Client<unknown> {
  const sender = as === 'system' ? system : caller
  const given = { user: sender.user, caller: sender, trail }
  const { ip, baseUrl, host } = request
  const headers = headersForHooks(request, runtime.settings.auth)
  const db = transaction ?? database.session(request)
  return clientOn(runtime, given, db, { ip, baseUrl, host, headers })
}

/**
 * The function that makes the clients of hooks. They are made of the runtime of the API, not of that of a request, so that they cannot send
 * requests as the caller of another request. `trail`: the requests by which hooks have made this one.
 */
export const clientsInHooks =
  (runtime: () => Runtime, trail: readonly string[] = []): Runtime['access']['clientInHook'] =>
  (call, as, hooks) =>
    clientInHook(runtime(), call, as, [...trail, hooks])

/** The runtime of requests whose sender is given, on `own` if there is one. */
function runtimeFor(
  runtime: Runtime,
  given: GivenCaller,
  own: MaybePromise<AnyDatabase> | undefined,
): Runtime {
  const { access, signIn } = runtime
  const { trail } = given
  return {
    ...runtime,
    access: {
      ...access,
      policies: given.caller?.isSystem ? noPolicies : access.policies,
      clientInHook: clientsInHooks(() => runtime, trail),
    },
    signIn: { ...signIn, given, limits: { ...signIn.limits, limiter: unlimited } },
    database: own === undefined ? runtime.database : connectionsOn(own, runtime),
  }
}

/** The connections of requests that use one instance, which no replica replaces. */
const connectionsOn = (
  own: MaybePromise<AnyDatabase>,
  { database }: Runtime,
): Runtime['database'] => ({
  ...database,
  session: () => own,
  knownSession: () => (own instanceof Promise ? undefined : own),
  replicas: undefined,
})

/**
 * Creates the client whose requests pass through the stages of a runtime, on the connection `own` if there is one. `origin` is what each
 * request has of the request whose hook makes it: address, mount, headers.
 */
function clientOn<A>(
  runtime: Runtime,
  given: GivenCaller,
  own: MaybePromise<AnyDatabase> | undefined,
  origin: Partial<ApiRequest> = {},
): Client<A> {
  const { settings, routing } = runtime
  const { plainPrefix, ownPaths } = routing.table
  const transport = transportIn(runtime, given, own, origin)
  return clientOver(transport, {
    root: plainPrefix,
    endpointCase: settings.endpointCase,
    batchPath: settings.batch?.path.slice(plainPrefix.length) ?? '/batch',
    pathOf(name) {
      const segment = segmentIn(settings.endpointCase, name)
      return ownPaths.get(segment) ?? segment
    },
  })
}

/** Returns `segmentOf`, cached, because a client is often made for a single call. */
function segmentIn(letterCase: LetterCase, name: string): string {
  const known = segments.get(`${letterCase} ${name}`)
  if (known !== undefined) return known
  const segment = segmentOf(name, letterCase)
  segments.set(`${letterCase} ${name}`, segment)
  return segment
}

const segments = lruMap<string>(1_000)

/** Returns the function that serves a call of the client as a request, on its transaction one after the other. */
function transportIn(
  api: Runtime,
  given: GivenCaller,
  own: MaybePromise<AnyDatabase> | undefined,
  origin: Partial<ApiRequest>,
): Transport {
  const { user, trail = [] } = given
  const { statementTimeout } = api.settings
  const runtime = runtimeFor(api, { ...given, trail }, own)
  return async (call, signal) => {
    let request: ApiRequest
    try {
      request = withLowerCaseNames({
        ...origin,
        ...messageOf(runtime, call, origin.headers),
        ...(signal && { signal }),
        ...(isUser(user) && { user }),
      })
    } catch (cause) {
      // Status 0, as for a request over HTTP that gets no response.
      return failed(String(cause), { status: 0, code: 'no_answer', cause })
    }
    const session = runtime.database.knownSession(request)
    const place = session?.isTransaction ? await placeOn(session, statementTimeout) : undefined
    const inside = deeper(trail, place?.nested.trail)
    if (inside.length > deepest) {
      const refused = { error: new Error(tooDeep(inside)) }
      return resultOf(await answerInProcess(runtime, request, refused))
    }
    if (place === undefined) return resultOf(await answerInProcess(runtime, request))
    const { db, nested } = place
    const response = await nested.inTurn(db, [...inside, `${request.method} ${call.path}`], (one) =>
      answerInProcess(runtimeFor(api, { ...given, trail: inside }, one), request),
    )
    return resultOf(response)
  }
}

/** The requests inside which a client is used: those that made it, or those of the connection, if the host has made the client. */
const deeper = (trail: readonly string[], others: readonly string[] = []): readonly string[] =>
  others.length > trail.length ? others : trail

/** Returns method, URL, headers and body of a call. A list with a URL that is too long is a QUERY. */
function messageOf(
  { routing, settings }: Runtime,
  { method, path, query, body, headers: own, many }: CallRequest,
  inherited: ApiRequest['headers'],
): ApiRequest {
  const headers = { ...inherited, ...own }
  const place = `${routing.table.plainPrefix}${path}`
  const url = query === '' ? place : `${place}?${query}`
  if (many && url.length > settings.limits.urlLength) {
    const form = { 'content-type': queryMediaType, ...headers }
    return { method: 'QUERY', url: place, headers: form, body: query }
  }
  return body === undefined
    ? { method, url, headers }
    : { method, url, headers, body: copyJson(body as JsonValue) }
}

const tooDeep = (trail: readonly string[]): string =>
  `Hooks make requests by args.as that call hooks, more than ${deepest} inside one another: ${trail.join(' → ')}.`

/** Makes the result that the client returns of a response. */
function resultOf(response: ProcessResponse): Result<unknown> {
  const { status, headers } = response
  if (!('result' in response)) {
    return failureOf(status, response.body ?? {}, headers['retry-after'], response.cause)
  }
  const { value, total, next = null, previous = null, empty } = response.result
  return {
    ok: true,
    status,
    value: asParsed(value),
    total: empty === true ? undefined : total,
    next,
    previous,
    after: cursorOf(next, 'after'),
    before: cursorOf(previous, 'before'),
    etag: headers.etag ?? null,
    // A getter, because making them takes as long as a stage of the request, and few callers read them.
    get headers() {
      return new Headers(headers)
    },
  }
}

/** `cursorIn`, without reading the URL of a page that has a number. */
const cursorOf = (url: string | null, name: string): string | null =>
  url?.includes(`${name}=`) ? cursorIn(url, name) : null
