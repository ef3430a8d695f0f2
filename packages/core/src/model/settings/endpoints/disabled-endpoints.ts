// Disabled endpoints: those that belong to no resource and that the configuration disables, each with the key that enables it, which the 404 of a
// request to one names.

import { authPaths } from '../auth/auth-routes.ts'
import type { AuthSettings } from '../auth/auth-settings.ts'
import type { ApiConfig } from '../config.ts'
import { settingReader } from '../setting-reader.ts'
import type { ApiSettings } from '../settings.ts'

/**
 * Returns the path of each disabled endpoint with the key that enables it.
 *
 * ```ts
 * disabledEndpoints({}, settings, auth).get('/api/batch') // 'API_ALLOW_BATCH'
 * ```
 */
export function disabledEndpoints(
  config: ApiConfig,
  { prefix, batch, docs }: Pick<ApiSettings, 'prefix' | 'batch' | 'docs'>,
  { routes, strategies }: Pick<AuthSettings, 'routes' | 'strategies'>,
): ReadonlyMap<string, string> {
  const { get } = settingReader(config)
  const disabled = new Map<string, string>()
  if (batch === null) {
    disabled.set(`${prefix}${get('API_BATCH_ROUTE')}`, 'API_ALLOW_BATCH')
  }
  if (docs === null) {
    disabled.set(get('API_DOCUMENTATION_URL'), 'API_CREATE_DOCS')
    disabled.set(get('API_DOCS_SPEC_ROUTE'), 'API_CREATE_DOCS')
  }
  const paths = authPaths(config)
  const strategyKey =
    config.API_AUTO_AUTH_ROUTES === false ? 'API_AUTO_AUTH_ROUTES' : 'API_AUTHENTICATE_METHOD'
  for (const name of ['login', 'refresh', 'logout'] as const) {
    if (routes[name] === null) disabled.set(paths[name], strategyKey)
  }
  if (routes.keys === null) {
    const hasRoutes = strategies.length > 0 && config.API_AUTO_AUTH_ROUTES !== false
    disabled.set(paths.keys, hasRoutes ? 'API_KEYS' : strategyKey)
  }
  if (routes.me === null) {
    disabled.set(paths.me, meKey(config, { authenticates: strategies.length > 0, strategyKey }))
  }
  return disabled
}

/** Returns the key that enables the endpoint of the current user. */
function meKey(
  config: ApiConfig,
  { authenticates, strategyKey }: { readonly authenticates: boolean; readonly strategyKey: string },
): string {
  if (!authenticates || config.API_AUTO_AUTH_ROUTES === false) return strategyKey
  return config.API_EXPOSE_ME === false ? 'API_EXPOSE_ME' : 'API_USER_MODEL'
}
