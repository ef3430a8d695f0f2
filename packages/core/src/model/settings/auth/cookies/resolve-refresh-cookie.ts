// Resolves the cookie that holds the refresh token, at start-up.

import type { ApiConfig } from '../../config.ts'
import type { Problems } from '../../setting-problems.ts'
import type { AuthRoutes } from '../auth-settings.ts'
import { hostCookiePrefix, type RefreshCookie, usualCookieName } from './refresh-cookie.ts'

/** Returns the cookie; null if refresh tokens are sent in bodies. A problem if no endpoint would set it. */
export function resolveRefreshCookie(
  config: ApiConfig,
  routes: AuthRoutes,
  problems: Problems,
): RefreshCookie | null {
  const setting = config.API_AUTH_REFRESH_COOKIE ?? false
  if (setting === false) return null
  if (routes.refresh === null) {
    problems.add(
      'config.API_AUTH_REFRESH_COOKIE',
      'belongs to the refresh endpoint, which is not served: add "jwt" with own keys to API_AUTHENTICATE_METHOD, and leave API_AUTO_AUTH_ROUTES on.',
    )
    return null
  }
  const { name = usualCookieName, domain } = setting === true ? {} : setting
  return { name, domain, path: name.startsWith(hostCookiePrefix) ? undefined : routes.refresh }
}
