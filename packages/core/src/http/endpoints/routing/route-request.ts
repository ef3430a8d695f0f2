// The stage `route`: `routeRequest` makes of a request's URL and method the `Call` that later stages use. Reads no body and calls no function of
// the host. Beside it: its errors 404 and 414, and what the response to a request without a call depends on.

import type { KnownCall } from '../../../access/hooks/hook-args.ts'
import { anonymous } from '../../../access/roles/roles.ts'
import {
  type ApiError,
  endpointDisabled,
  noRecordUrls,
  unknownPath,
  urlTooLong,
} from '../../../errors.ts'
import type { Registry, Resource } from '../../../model/registry/resource.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Route } from '../../../model/route.ts'
import { hooksOf } from '../../../model/settings/access/resolve-hooks.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import type { Call, Runtime } from '../../call/call.ts'
import { isQueryRequest } from '../../query-method.ts'
import {
  keylessListAbove,
  matchRoute,
  type RouteTable,
  splitUrl,
  unrestoredResource,
} from '../../route-table.ts'
import { similarPath } from '../../similar-path.ts'
import { servesMany } from '../reads/serves-many.ts'
import { actionOf, hasQuery, resourceOf } from './route-method.ts'

/** Throws 414 for a URL that is too long, before it is parsed. The URL of a QUERY may be as long as its body. */
export function refuseLongUrl(
  settings: Pick<ApiSettings, 'limits' | 'bodyLimit'>,
  request: ApiRequest,
): void {
  const { urlLength } = settings.limits
  const { length } = request.url
  if (length <= urlLength) return
  const isQuery = isQueryRequest(request)
  const [limit, setting] = isQuery
    ? [settings.bodyLimit, settingNames.bodyLimit]
    : [urlLength, settingNames.maxUrlLength]
  if (length > limit) throw urlTooLong(length, setting, limit)
}

/** The path and the raw query of a URL: `/api/books`, `price__ge=30`. */
export type SplitUrl = ReturnType<typeof splitUrl>

/** What the response to a failed request depends on: its final and error callbacks, what these receive, and which members the body has. */
interface ResponseSettings extends Pick<ApiSettings, 'hooks' | 'dump'> {
  readonly known: KnownCall
}

/** What a call needs in addition to its request. */
interface CallParts extends Pick<Call, 'stamp'> {
  /** Whether the caller of the API needs the response only as text to send. */
  readonly wantsText: boolean
}

/** Finds the route of a request and creates its call, with an anonymous caller. */
export function routeRequest(
  runtime: Runtime,
  request: ApiRequest,
  { path, query }: SplitUrl,
  { stamp, wantsText }: CallParts,
): { readonly call: Call; readonly route: Route } {
  const { baseUrl, prefix } = runtime.settings
  const route = matchRoute(runtime.routing.table, path)
  if (route === undefined) {
    const list = keylessListAbove(runtime.routing.table, path)
    if (list !== undefined) throw noRecordUrls(path, list)
    runtime.routing.hintUnpublished(path)
    throw unknownPathOf(runtime, path)
  }
  const asksQuery = isQueryRequest(request)
  const isQuery = asksQuery && hasQuery(route)
  // A QUERY is a GET in every stage after this one; a route without QUERY responds with 405, also if QUERY was sent as POST.
  const method = isQuery ? 'GET' : asksQuery ? 'QUERY' : request.method.toUpperCase()
  const resource = resourceOf(route)
  const origin = `${baseUrl}${request.baseUrl ?? ''}`
  const hooks = hooksOf(resource.settings.hooks, method)
  const action = actionOf(route, method)
  const endsAsText = wantsText && hooks.final === undefined
  const call: Call = {
    runtime,
    request,
    method,
    path,
    query,
    isQuery,
    resource,
    action,
    many: servesMany(route, action, request),
    relation: route.kind === 'related' ? route.relation : null,
    hooks,
    asPage: false,
    asText: endsAsText && hooks.return === undefined,
    endsAsText,
    origin,
    base: `${origin}${prefix}`,
    caller: anonymous,
    reach: runtime.access.anonymousReach,
    registry: runtime.registry,
    stamp,
  }
  return { call, route }
}

/** Makes the 404 of a path without a route. It names the setting that would enable the path, or suggests a similar path. */
export function unknownPathOf(
  { settings, registry, routing }: Pick<Runtime, 'settings' | 'registry' | 'routing'>,
  path: string,
): ApiError {
  const routes = routing.table
  const unrestored = unrestoredResource(routes, path)
  if (unrestored !== undefined) return notRestored(settings, registry, path, unrestored)
  // The settings that would enable paths such as `/batch` (`model/settings/endpoints/disabled-endpoints.ts`).
  const setting = settings.disabledEndpoints.get(path)
  return setting === undefined
    ? unknownPath(path, documentedPathLike(settings, routes, path))
    : endpointDisabled(path, setting)
}

/** Makes the 404 of the restore of a record without soft delete. It names the column that the model lacks if the documentation shows it. */
function notRestored(
  settings: ApiSettings,
  { resources }: Registry,
  path: string,
  { endpoint, settings: { lackedSoftDeleteColumn: lacked } }: Resource,
): ApiError {
  if (lacked === undefined) return endpointDisabled(path, settingNames.softDelete)
  const isShown =
    hasPublicDocs(settings) &&
    resources.some(
      ({ settings: { softDelete }, columns }) =>
        softDelete?.attribute === lacked && columns.has(lacked),
    )
  const column = isShown ? `column "${lacked}"` : 'column for soft delete'
  return endpointDisabled(path, settingNames.softDeleteAttribute, `${endpoint} has no ${column}`)
}

const hasPublicDocs = ({ docs }: ApiSettings): boolean => docs !== null && !docs.requireAuth

/** Finds a known path similar to an unknown one; undefined if the documentation, which lists the paths, is not public. */
function documentedPathLike(
  { docs, ownRoutePaths }: ApiSettings,
  routes: RouteTable,
  path: string,
): string | undefined {
  if (docs === null || docs.requireAuth) return undefined
  // The index of an API at the root is no suggestion.
  return similarPath(routes, [...ownRoutePaths].filter(Boolean), path)
}

/** Returns the settings for the response to a request that failed before or during routing; undefined if its path has no route. */
export function responseSettingsOf(
  routes: RouteTable,
  request: ApiRequest,
): ResponseSettings | undefined {
  try {
    const route = matchRoute(routes, splitUrl(request.url).path)
    if (route === undefined) return undefined
    const resource = resourceOf(route)
    const { settings } = resource
    const method = request.method.toUpperCase()
    const relation = route.kind === 'related' ? route.relation : null
    const action = actionOf(route, method)
    const known = { resource, action, many: servesMany(route, action, request), relation }
    return { hooks: hooksOf(settings.hooks, method), dump: settings.dump, known }
  } catch {
    return undefined
  }
}
