// Whether a URL belongs to the API, and whether a path belongs to an endpoint without a resource: batch, index, documentation, health or
// authentication.

import type { ApiSettings } from '../../../model/settings/settings.ts'
import { isIndex, isServed, type RouteTable, splitUrl } from '../../route-table.ts'
import { authEndpointAt } from '../auth/auth-route.ts'
import { healthPartAt } from '../service/health.ts'
import { docsPartAt } from './docs-part.ts'

/** Whether the API serves a URL; a host passes other URLs on. */
export function isOwned(settings: ApiSettings, routes: RouteTable, url: string): boolean {
  const { path } = splitUrl(url)
  return isServed(routes, path) || isBesidePrefix(settings, path)
}

/** Whether a path belongs to an endpoint without a resource. */
export const isOwnEndpoint = (settings: ApiSettings, routes: RouteTable, path: string): boolean =>
  path === settings.batch?.path || isIndex(routes, path) || isBesidePrefix(settings, path)

/** Whether a path belongs to an endpoint that need not lie below API_PREFIX. */
const isBesidePrefix = ({ auth, docs, healthRoute }: ApiSettings, path: string): boolean =>
  docsPartAt(docs, path) !== undefined ||
  healthPartAt(healthRoute, path) !== undefined ||
  authEndpointAt(auth.routes, path) !== undefined
