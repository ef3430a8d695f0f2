// The health routes for load balancers and orchestrators: liveness and readiness.

import type { Readiness } from '../../../database/readiness.ts'
import { type ApiError, notReadyFor } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { Result } from '../../envelope.ts'
import { optionsResult, readMethods } from '../routing/own-methods.ts'

/** `live`: whether the process runs; `ready`: whether it can serve requests. */
export type HealthPart = 'live' | 'ready'

/** Returns which health check is at a path, or undefined. `route` is API_HEALTH_ROUTE; undefined if the health routes are disabled. */
export function healthPartAt(route: string | undefined, path: string): HealthPart | undefined {
  if (route === undefined || !path.startsWith(route)) return undefined
  if (path.length === route.length) return 'live'
  return path === `${route}/ready` ? 'ready' : undefined
}

/**
 * `GET /health` → 200 while the process runs; `GET /health/ready` → 200, or 503 while the service drains or its database
 * is unavailable. Neither has a rate limit or needs credentials. Query parameters are ignored: probes add some against caches, and a
 * 400 would make a load balancer take a healthy process out of service.
 */
export async function serveHealth(
  readiness: Readiness,
  request: ApiRequest,
  part: HealthPart,
): Promise<Result | ApiError> {
  const options = optionsResult(request, readMethods)
  if (options !== undefined) return options
  const state = part === 'live' ? 'live' : await readiness.state()
  // Returned, not thrown: a 503 of this route is a normal answer and must not be reported as an error.
  if (state !== 'live' && state !== 'ready') return notReadyFor(state)
  return { status: 200, value: { status: state }, total: 1 }
}
