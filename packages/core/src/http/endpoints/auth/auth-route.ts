// Routes the authentication endpoints: maps a path to its endpoint, checks the method and calls the endpoint.

import { callerOf } from '../../../access/caller.ts'
import type { KnownCall } from '../../../access/hooks/hook-args.ts'
import { runSetup } from '../../../access/hooks/read-hooks.ts'
import { reachOf } from '../../../access/reach.ts'
import { clientAddress } from '../../../auth/limits/address.ts'
import type { RequestLimits } from '../../../auth/sign-in.ts'
import { idempotencyKeyNotHere } from '../../../errors.ts'
import { decodedSegment } from '../../../lib/decoded-segment.ts'
import { type ApiRequest, header } from '../../../model/request.ts'
import type { AuthRoutes } from '../../../model/settings/auth/auth-settings.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import type { Call, Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { splitUrl } from '../../route-table.ts'
import { admit } from '../routing/admit.ts'
import { optionsResult, readMethods } from '../routing/own-methods.ts'
import { refuseParameters } from '../routing/refuse-parameters.ts'
import { type AuthEndpoint, login, logout, me, refresh } from './endpoints.ts'
import { serveKeys } from './key-endpoints.ts'

/** Returns the authentication endpoint at a path, or undefined. Decodes each segment once, as the route table does. */
export function authEndpointAt(routes: AuthRoutes, path: string): AuthEndpoint | undefined {
  const plain = path.includes('%') ? decodedPath(path) : path
  if (plain === undefined) return undefined
  for (const name of endpoints) if (routes[name] === plain) return name
  return keyIdAt(routes, plain) === undefined ? undefined : 'key'
}

const endpoints = ['login', 'refresh', 'logout', 'me', 'keys'] as const

/** Returns the id in the path of one API key; undefined for any other path. */
function keyIdAt({ keys }: AuthRoutes, plain: string): string | undefined {
  if (keys === null || !plain.startsWith(`${keys}/`)) return undefined
  const id = plain.slice(keys.length + 1)
  return id === '' || id.includes('/') ? undefined : id
}

/** Decodes a path; undefined if the encoding is malformed or a segment contains an encoded slash. */
function decodedPath(path: string): string | undefined {
  const segments = path.split('/').map(decodedSegment)
  return segments.some((segment) => segment === undefined || segment.includes('/'))
    ? undefined
    : segments.join('/')
}

/**
 * Answers a request to an authentication endpoint. Calls `routed` with what is known of a request whose caller was authenticated, for the
 * final and error callbacks.
 */
export async function serveAuth(
  runtime: Runtime,
  request: ApiRequest,
  endpoint: AuthEndpoint,
  routed: (call: KnownCall) => void,
): Promise<Result> {
  const options = optionsResult(request, methodsOf[endpoint])
  if (options !== undefined) return options
  await runSetup(runtime, runtime.settings.hooks, request)
  if (endpoint !== 'me') {
    const { additionalQueryParams } = runtime.settings
    refuseParameters(request, additionalQueryParams, withoutParameters[endpoint])
    // A repetition would make other tokens or keys, and that of a refresh would end the session.
    if (header(request, 'idempotency-key') !== undefined)
      throw idempotencyKeyNotHere(withoutIdempotency[endpoint])
  }
  switch (endpoint) {
    case 'login':
      return login(runtime, request)
    case 'refresh':
      return refresh(runtime, request)
    case 'logout':
      return limitedLogout(runtime.settings, runtime.signIn.limits, request)
    case 'me':
      return ownRecord(runtime, request, routed)
    case 'keys':
      return serveKeys(runtime, request, undefined, routed)
    case 'key':
      return serveKeys(runtime, request, keyIdOf(runtime.settings.auth.routes, request), routed)
  }
}

const onlyPost: readonly string[] = ['POST', 'OPTIONS']

const methodsOf: Readonly<Record<AuthEndpoint, readonly string[]>> = {
  login: onlyPost,
  refresh: onlyPost,
  logout: onlyPost,
  me: readMethods,
  keys: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  key: ['DELETE', 'OPTIONS'],
}

/** Returns the id in the path of a request that `authEndpointAt` has routed to one API key. */
const keyIdOf = (routes: AuthRoutes, { url }: ApiRequest): string =>
  keyIdAt(routes, decodedPath(splitUrl(url).path) ?? '') ?? ''

/** What an Idempotency-Key cannot be sent with, for the message of the error. */
const withoutIdempotency = {
  login: 'login',
  refresh: 'refresh',
  logout: 'logout',
  keys: 'a request about API keys',
  key: 'a request about API keys',
} as const

/** The end of the message about a parameter of an endpoint that has none. */
const withoutParameters = {
  login: ' Login has no parameters; "username" and "password" are members of its body.',
  refresh: ' Refresh has no parameters; "refresh_token" is a member of its body.',
  logout: ' Logout has no parameters.',
  keys: ' API keys have no parameters; those of a new one are members of its body.',
  key: ' API keys have no parameters.',
} as const

/** Runs logout under a rate limit that counts by address, because logout needs no credentials. */
async function limitedLogout(
  { auth, rateWindows }: ApiSettings,
  { limiter, trustedProxies }: RequestLimits,
  request: ApiRequest,
): Promise<Result> {
  const key = `logout|ip:${clientAddress(request, trustedProxies)}`
  const headers = await limiter.count(key, rateWindows)
  const result = logout(auth, request)
  return { ...result, headers: { ...headers, ...result.headers } }
}

/** `GET /auth/me`: authenticates the request and makes the call that reads the record of its user. */
async function ownRecord(
  runtime: Runtime,
  request: ApiRequest,
  routed: (call: KnownCall) => void,
): Promise<Result> {
  const { auth, rateWindows, prefix, baseUrl } = runtime.settings
  const { identity, headers } = await admit(runtime.signIn, request, {
    route: 'me',
    windows: rateWindows,
    strategies: auth.strategies,
    required: true,
  })
  const resource = runtime.registry.users
  // True: authenticated without a user.
  const caller = await callerOf(runtime.host.callHook, identity?.user ?? true, auth.userModel)
  const { path, query } = splitUrl(request.url)
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const call = {
    runtime,
    request,
    method: request.method.toUpperCase(),
    path,
    query,
    resource,
    registry: runtime.registry,
    action: 'GET_ONE',
    many: false,
    relation: null,
    hooks: resource?.settings.hooks.get ?? runtime.settings.hooks,
    origin,
    base: `${origin}${prefix}`,
    caller,
    reach: reachOf(caller),
    // `asText` and `asPage` are missing, which counts as false: the record is sent as an object.
  } as Call
  routed(call)
  const registry =
    resource === undefined
      ? runtime.registry
      : await runtime.access.callerRegistries.of(call, resource)
  const result = await me({ ...call, registry, resource: registry.users ?? call.resource })
  return { ...result, headers: { ...headers, ...result.headers } }
}
