// route: a request's URL and method → the call that the other stages carry on, or 404 and 414.

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

/** 414, before anything is read of the URL. */
export function refuseLongUrl({ settings }: Runtime, { url }: ApiRequest): void {
  const { urlLength } = settings.limits
  if (url.length > urlLength) throw urlTooLong(url.length, settingNames.maxUrlLength, urlLength)
}

/** A request's URL, split. */
type Place = ReturnType<typeof splitUrl>

export type Switches = Pick<ApiSettings, 'hooks' | 'dump'>

/** The callbacks of methods without any of their own are those of GET. */
const hookMethods: Readonly<Record<string, MetaMethod>> = {
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
}

const hooksOf = ({ hooks }: ResourceSettings, method: string): HookSettings =>
  hooks[hookMethods[method] ?? 'get']

/** A call whose caller is still to be known. */
export type RoutedCall = Omit<Call, 'caller' | 'reach'> & {
  caller: Call['caller']
  reach: Call['reach']
}

/** What a call needs beside its request. */
interface CallParts extends Pick<Call, 'stamp' | 'timing'> {
  /** Whether the answer is to be sent, not looked at. */
  readonly wantsText: boolean
}

/** The path, the method, and what they mean; nobody is known yet. */
export function routeRequest(
  runtime: Runtime,
  request: ApiRequest,
  { path, query }: Place,
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

/** The path that an unknown one is a slip of, where everybody may read in the documentation which there are. */
function documentedPathLike({ settings, routes }: Runtime, path: string): string | undefined {
  const { docs, auth } = settings
  if (docs === null || docs.requireAuth) return undefined
  const others = [...Object.values(auth.routes), docs.page, docs.spec]
  const known = others.filter((other): other is string => other !== null)
  return similarPath(routes, known, path)
}

/** What the answer to a refused request goes by, where it was for a resource. */
export function switchesAt(runtime: Runtime, request: ApiRequest): Switches | undefined {
  try {
    const route = matchRoute(runtime.routes, splitUrl(request.url).path)
    if (route === undefined) return undefined
    const { settings } = resourceOf(route)
    return { hooks: hooksOf(settings, request.method.toUpperCase()), dump: settings.dump }
  } catch {
    return undefined
  }
}
