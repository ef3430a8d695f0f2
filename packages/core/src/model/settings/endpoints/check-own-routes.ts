// Checks at start-up that no endpoint without a resource (documentation, health, batch, authentication) has the path of another endpoint or of a
// model, and that the documentation requires authentication only if a strategy is enabled.

import type { Resource } from '../../registry/resource.ts'
import type { ApiConfig } from '../config.ts'
import type { Problems } from '../setting-problems.ts'
import { type OwnRouteSettings, ownRoutes } from './own-routes.ts'

/** Adds a problem for each conflicting path, and for required authentication without a strategy. */
export function checkOwnRoutes(
  settings: OwnRouteSettings,
  resources: readonly Pick<Resource, 'name' | 'paths'>[],
  problems: Problems,
): void {
  if (settings.docs?.requireAuth === true && settings.auth.strategies.length === 0) {
    problems.add(
      'config.API_DOCUMENTATION_REQUIRE_AUTH',
      'requires authentication, but no strategy is enabled: set API_AUTHENTICATE_METHOD.',
    )
  }
  const earlier = new Map<string, string>()
  const reported = new Set<keyof ApiConfig>()
  for (const { path: pathIn, key, what } of Object.values(ownRoutes)) {
    const path = pathIn(settings) ?? undefined
    // One problem for each key: if the path of the health check is taken, so is the readiness check below it.
    if (path === undefined || reported.has(key)) continue
    const problem = conflictOf(path, earlier.get(path), settings.prefix, resources)
    if (problem === undefined) {
      earlier.set(path, what)
      continue
    }
    problems.add(`config.${key}`, `"${path}" ${problem}`)
    reported.add(key)
  }
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
