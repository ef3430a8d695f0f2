// Rate limit scope (`api.rateLimits`): whether requests are counted per process or in a shared store. Several processes need a shared store
// to enforce one limit.

import type { Registry } from '../../model/registry/resource.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'

/** `none`: no rate limits; `process`: counted in the memory of this process; `store`: counted in API_RATE_LIMIT_STORE. */
export type RateLimitScope = 'none' | 'process' | 'store'

/** Returns where the requests of an API are counted. */
export function rateLimitScope(settings: ApiSettings, registry: Registry): RateLimitScope {
  const { rateLimitStore, rateWindows, auth } = settings
  const limited =
    rateWindows.length > 0 ||
    // Failed passwords and keys of every strategy count against the login limit.
    (auth.strategies.length > 0 && auth.loginWindows.length > 0) ||
    registry.resources.some(({ settings: { rates } }) =>
      Object.values(rates).some((windows) => windows.length > 0),
    )
  if (!limited) return 'none'
  return rateLimitStore === undefined ? 'process' : 'store'
}
