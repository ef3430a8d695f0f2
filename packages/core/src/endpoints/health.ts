// The health routes: whether the process lives, and whether it can take requests; for load balancers and orchestrators.

import type { Runtime } from '../call.ts'
import { type ApiError, methodNotAllowed, notReadyFor } from '../errors.ts'
import type { Result } from '../http/envelope.ts'
import type { ApiRequest } from '../http/request.ts'

export type HealthPart = 'live' | 'ready'

/** What of the health routes a path leads to, or undefined; `route` is null where there are none. */
export function healthPartAt(route: string | null, path: string): HealthPart | undefined {
  if (route === null || !path.startsWith(route)) return undefined
  if (path.length === route.length) return 'live'
  return path === `${route}/ready` ? 'ready' : undefined
}

const allowed = ['GET', 'HEAD', 'OPTIONS']

/**
 * `GET /health` → 200 while the process lives; `GET /health/ready` → 200, or 503 while the service is drained or its
 * database is away. Neither is limited or needs a credential, and neither is kept by a cache.
 */
export async function serveHealth(
  { readiness }: Pick<Runtime, 'readiness'>,
  { method: given }: ApiRequest,
  part: HealthPart,
): Promise<Result | ApiError> {
  const method = given.toUpperCase()
  if (method === 'OPTIONS') {
    const headers = { allow: allowed.join(', ') }
    return { status: 204, value: null, total: undefined, empty: true, headers }
  }
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed)
  const state = part === 'live' ? 'live' : await readiness.state()
  // Not thrown: it is an answer, and nothing to report.
  if (state !== 'live' && state !== 'ready') return notReadyFor(state)
  return { status: 200, value: { status: state }, total: 1 }
}
