// The paths of the authentication endpoints, and which of them are served; resolved at start-up.

import type { StrategyName } from '../access/access-types.ts'
import type { ApiConfig } from '../config.ts'
import { settingReader } from '../setting-reader.ts'
import type { AuthRoutes } from './auth-settings.ts'

/** Returns the path of each authentication endpoint, served or not. */
export function authPaths(config: ApiConfig): {
  readonly [K in keyof AuthRoutes]: NonNullable<AuthRoutes[K]>
} {
  const { get } = settingReader(config)
  return {
    login: '/auth/login',
    refresh: get('API_AUTH_REFRESH_ROUTE'),
    logout: '/auth/logout',
    me: get('API_AUTH_ME_ROUTE'),
    keys: '/auth/keys',
  }
}

/**
 * Returns the path of each authentication endpoint, or null where it is not served. `issuesTokens`: the service issues tokens itself, so that it
 * has a login for them, a refresh and a logout.
 */
export function resolveAuthRoutes(
  config: ApiConfig,
  strategies: readonly StrategyName[],
  issuesTokens: boolean,
): AuthRoutes {
  const paths = authPaths(config)
  const served = config.API_AUTO_AUTH_ROUTES !== false && strategies.length > 0
  const jwt = served && issuesTokens
  const login = jwt || (served && strategies.some((name) => name === 'basic' || name === 'api_key'))
  const me = served && config.API_EXPOSE_ME !== false && config.API_USER_MODEL !== undefined
  return {
    login: login ? paths.login : null,
    refresh: jwt ? paths.refresh : null,
    logout: jwt ? paths.logout : null,
    me: me ? paths.me : null,
    keys: served && config.API_KEYS === true ? paths.keys : null,
  }
}
