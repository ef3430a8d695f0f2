// Whether a URL belongs to the API, and whether a path belongs to an endpoint of its own, without a resource: batch, index, documentation,
// health or authentication.

import type { ApiSettings } from '../../../model/settings/settings.ts'
import { isIndex, isServed, type RouteTable, splitUrl } from '../../route-table.ts'
import { authEndpointAt } from '../auth/auth-route.ts'

/** Whether the API serves a URL; a host passes other URLs on. */
export function isOwned(settings: ApiSettings, routes: RouteTable, url: string): boolean {
  const { path } = splitUrl(url)
  return isServed(routes, path) || isOwnRoute(settings, path)
}

/** Whether a path belongs to an endpoint without a resource. */
export const isOwnEndpoint = (settings: ApiSettings, routes: RouteTable, path: string): boolean =>
  isIndex(routes, path) || isOwnRoute(settings, path)

/** Whether a path belongs to an own route. Paths of authentication may be percent-encoded, and an API key has a path below `/auth/keys`. */
const isOwnRoute = ({ auth, ownRoutePaths }: ApiSettings, path: string): boolean =>
  ownRoutePaths.has(path) || authEndpointAt(auth.routes, path) !== undefined
