// route: a request's URL and method → the `Call` that later stages use. Throws 404 and 414.

import { anonymous } from '../access/roles.ts'
import type { Call, Runtime } from '../call.ts'
import type { MetaMethod } from '../config/meta.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import { settingNames } from '../config/setting-names.ts'
import type { ApiSettings, ResourceSettings } from '../config/settings.ts'
import { unknownPath, urlTooLong } from '../errors.ts'
import type { ApiRequest } from '../http/request.ts'
import { matchRoute, type Route, splitUrl } from '../http/route-table.ts'
import { similarPath } from '../http/similar-path.ts'
import { actionOf, resourceOf } from './route-method.ts'

/** Throws 414 for a URL that is too long, before it is parsed. */
export function refuseLongUrl({ settings }: Runtime, { url }: ApiRequest): void {
  const { urlLength } = settings.limits
  if (url.length > urlLength) throw urlTooLong(url.length, settingNames.maxUrlLength, urlLength)
}

type SplitUrl = ReturnType<typeof splitUrl>

/** The settings that shape an error response: `final` and error callbacks, and the naming of its members. */
export type ResponseSettings = Pick<ApiSettings, 'hooks' | 'dump'>

/** Which `hooks` a method uses; all other methods use those of GET. */
const hookMethods: Readonly<Record<string, MetaMethod>> = {
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
}

const hooksOf = ({ hooks }: ResourceSettings, method: string): HookSettings =>
  hooks[hookMethods[method] ?? 'get']

/** A call before authentication: its caller is anonymous and can be replaced. */
export type RoutedCall = Omit<Call, 'caller' | 'reach'> & {
  caller: Call['caller']
  reach: Call['reach']
}

/** What a call needs in addition to its request. */
interface CallParts extends Pick<Call, 'stamp' | 'timing'> {
  /** Whether the caller of the API needs the response only as text to send. */
  readonly wantsText: boolean
}

/** Finds the route of a request and creates its call, with an anonymous caller. */
export function routeRequest(
  runtime: Runtime,
  request: ApiRequest,
  { path, query }: SplitUrl,
  { stamp, timing, wantsText }: CallParts,
): { call: RoutedCall; route: Route } {
  const { baseUrl, prefix } = runtime.settings
  const route = matchRoute(runtime.routes, path)
  if (route === undefined) throw unknownPath(path, documentedPathLike(runtime, path))
  const method = request.method.toUpperCase()
  const resource = resourceOf(route)
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const hooks = hooksOf(resource.settings, method)
  const call: RoutedCall = {
    runtime,
    request,
    method,
    path,
    query,
    resource,
    action: actionOf(route, method),
    relation: route.kind === 'related' ? route.relation : null,
    hooks,
    asText: wantsText && hooks.return === undefined && hooks.final === undefined,
    origin,
    base: `${origin}${prefix}`,
    caller: anonymous,
    reach: runtime.anonymousReach,
    stamp,
    timing,
  }
  return { call, route }
}

/** A known path similar to an unknown one; undefined if the documentation, which lists the paths, is not public. */
function documentedPathLike({ settings, routes }: Runtime, path: string): string | undefined {
  const { docs, auth } = settings
  if (docs === null || docs.requireAuth) return undefined
  const others = [...Object.values(auth.routes), docs.page, docs.spec]
  const known = others.filter((other): other is string => other !== null)
  return similarPath(routes, known, path)
}

/** The settings for the error response of a request; undefined if its path has no route. */
export function responseSettingsOf(
  runtime: Runtime,
  request: ApiRequest,
): ResponseSettings | undefined {
  try {
    const route = matchRoute(runtime.routes, splitUrl(request.url).path)
    if (route === undefined) return undefined
    const { settings } = resourceOf(route)
    return { hooks: hooksOf(settings, request.method.toUpperCase()), dump: settings.dump }
  } catch {
    return undefined
  }
}
