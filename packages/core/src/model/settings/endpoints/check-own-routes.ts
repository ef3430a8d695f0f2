// Checks that no endpoint without a resource (documentation, health, batch, authentication) has the path of another endpoint or of a
// model, and that the documentation requires authentication only if a strategy is enabled.

import type { Resource } from '../../registry/resource.ts'
import type { AuthSettings } from '../auth/auth-settings.ts'
import type { ApiConfig } from '../config.ts'
import type { Problems } from '../setting-problems.ts'
import type { ApiSettings } from '../settings.ts'

type General = Pick<ApiSettings, 'docs' | 'healthRoute' | 'prefix' | 'batch'>
type Auth = Pick<AuthSettings, 'strategies' | 'routes'>

/** Adds a problem for each conflicting path, and for required authentication without a strategy. */
export function checkOwnRoutes(
  general: General,
  auth: Auth,
  resources: readonly Pick<Resource, 'name' | 'paths'>[],
  problems: Problems,
): void {
  if (general.docs?.requireAuth === true && auth.strategies.length === 0) {
    problems.add(
      'config.API_DOCUMENTATION_REQUIRE_AUTH',
      'requires authentication, but no strategy is enabled: set API_AUTHENTICATE_METHOD.',
    )
  }
  const earlier = new Map<string, string>()
  const reported = new Set<keyof ApiConfig>()
  for (const { path, key, what } of ownRoutes(general, auth)) {
    // One problem for each key: if the path of the health check is taken, so is the readiness check below it.
    if (reported.has(key)) continue
    const problem = conflictOf(path, earlier.get(path), general.prefix, resources)
    if (problem === undefined) {
      earlier.set(path, what)
      continue
    }
    problems.add(`config.${key}`, `"${path}" ${problem}`)
    reported.add(key)
  }
}

/** A path that belongs to no resource. */
interface OwnRoute {
  readonly path: string
  /** The key under which a conflict is reported: the one that sets the path, or else the one that can remove the conflict. */
  readonly key: keyof ApiConfig
  /** What the path serves, for the messages about the other paths. */
  readonly what: string
}

/** Returns the served paths that belong to no resource. Of two equal ones, the later is reported. */
function ownRoutes({ prefix, docs, healthRoute, batch }: General, { routes }: Auth): OwnRoute[] {
  const route = (
    path: string | null | undefined,
    key: keyof ApiConfig,
    what: string,
  ): OwnRoute[] => (path === null || path === undefined ? [] : [{ path, key, what }])
  const ready = healthRoute === undefined ? null : `${healthRoute}/ready`
  return [
    ...route(prefix, 'API_PREFIX', 'the index (API_PREFIX)'),
    ...route(routes.login, 'API_PREFIX', 'the login'),
    ...route(routes.logout, 'API_PREFIX', 'the logout'),
    ...route(
      routes.refresh,
      'API_AUTH_REFRESH_ROUTE',
      'the refresh of tokens (API_AUTH_REFRESH_ROUTE)',
    ),
    ...route(routes.me, 'API_AUTH_ME_ROUTE', 'the current user (API_AUTH_ME_ROUTE)'),
    ...route(routes.keys, 'API_KEYS', 'the API keys (API_KEYS)'),
    ...route(docs?.commonSpec, 'API_CREATE_DOCS', 'the OpenAPI document'),
    ...route(docs?.page, 'API_DOCUMENTATION_URL', 'the documentation page (API_DOCUMENTATION_URL)'),
    ...route(docs?.script, 'API_DOCUMENTATION_URL', 'the script of the documentation page'),
    ...route(docs?.spec, 'API_DOCS_SPEC_ROUTE', 'the OpenAPI document (API_DOCS_SPEC_ROUTE)'),
    ...route(healthRoute, 'API_HEALTH_ROUTE', 'the health check (API_HEALTH_ROUTE)'),
    ...route(ready, 'API_HEALTH_ROUTE', 'the readiness check (API_HEALTH_ROUTE)'),
    ...route(batch?.path, 'API_BATCH_ROUTE', 'batches (API_BATCH_ROUTE)'),
  ]
}

/** Returns why a path cannot be served, or undefined. `other` is what an earlier route serves at the same path. */
function conflictOf(
  path: string,
  other: string | undefined,
  prefix: string,
  resources: readonly Pick<Resource, 'name' | 'paths'>[],
): string | undefined {
  if (other !== undefined) return `is already the path of ${other}.`
  for (const { name, paths } of resources) {
    for (const endpoint of paths) {
      const list = `${prefix}/${endpoint}`
      if (path === list) return `is already the path of ${name}, whose endpoint is "${endpoint}".`
      if (path.startsWith(`${list}/`)) {
        return `lies inside "${endpoint}", an endpoint of ${name}, where it would be a record's path.`
      }
    }
  }
  return undefined
}
