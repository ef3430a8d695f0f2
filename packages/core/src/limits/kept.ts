// Where requests are counted: what a host of several processes must know, because each of them has a memory of its own.

import type { ApiSettings } from '../config/settings.ts'
import type { Registry } from '../registry/resource.ts'

/** `none` where nothing is limited, `process` in the memory of this process alone, `store` in the store that was given. */
export type RateLimitsKept = 'none' | 'process' | 'store'

export function rateLimitsKept(settings: ApiSettings, registry: Registry): RateLimitsKept {
  const { rateStore, rateWindows, auth } = settings
  const limited =
    rateWindows.length > 0 ||
    // Failed passwords and keys count against the login limit, whatever the strategy.
    (auth.strategies.length > 0 && auth.loginWindows.length > 0) ||
    registry.resources.some(({ settings: { rates } }) =>
      Object.values(rates).some((windows) => windows.length > 0),
    )
  if (!limited) return 'none'
  return rateStore === undefined ? 'process' : 'store'
}
