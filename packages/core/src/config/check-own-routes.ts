// Checks that the documentation and the health routes have paths of their own, and a guard only where somebody can sign in.

import type { AuthSettings } from './auth-settings.ts'
import type { Problems } from './problems.ts'
import type { ApiSettings } from './settings.ts'

/** These routes must not stand in the way of other endpoints, and can be guarded only where somebody can sign in. */
export function checkOwnRoutes(
  { docs, healthRoute, prefix }: Pick<ApiSettings, 'docs' | 'healthRoute' | 'prefix'>,
  { strategies, routes }: Pick<AuthSettings, 'strategies' | 'routes'>,
  problems: Problems,
): void {
  const taken = Object.values(routes).filter((path) => path !== null)
  const check = (key: string, path: string, others: readonly string[]): void => {
    if (others.includes(path) || path === prefix || path.startsWith(`${prefix}/`)) {
      problems.add(key, `"${path}" is already the path of other endpoints.`)
    }
  }
  if (docs !== null) {
    if (docs.requireAuth && strategies.length === 0) {
      problems.add(
        'config.API_DOCUMENTATION_REQUIRE_AUTH',
        'asks for authentication, but no strategy is enabled: set API_AUTHENTICATE_METHOD.',
      )
    }
    check('config.API_DOCUMENTATION_URL', docs.page, taken)
    check('config.API_DOCS_SPEC_ROUTE', docs.spec, [...taken, docs.page])
  }
  if (healthRoute !== null) {
    const pages = docs === null ? [] : [docs.page, docs.spec]
    check('config.API_HEALTH_ROUTE', healthRoute, [...taken, ...pages])
  }
}
