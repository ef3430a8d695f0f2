// Checks that the documentation, health and batch routes conflict with no other path, and require authentication only if a
// strategy is enabled.

import type { AuthSettings } from './auth-settings.ts'
import type { Problems } from './problems.ts'
import type { ApiSettings } from './settings.ts'

/** Adds a problem for each conflicting path, and for required authentication without a strategy. */
export function checkOwnRoutes(
  {
    docs,
    healthRoute,
    prefix,
    batch,
  }: Pick<ApiSettings, 'docs' | 'healthRoute' | 'prefix' | 'batch'>,
  { strategies, routes }: Pick<AuthSettings, 'strategies' | 'routes'>,
  problems: Problems,
): void {
  const taken = Object.values(routes).filter((path) => path !== null)
  const check = (key: string, path: string, others: readonly (string | undefined)[]): void => {
    if (others.includes(path) || path === prefix || path.startsWith(`${prefix}/`)) {
      problems.add(key, `"${path}" is already the path of other endpoints.`)
    }
  }
  if (docs !== null) {
    if (docs.requireAuth && strategies.length === 0) {
      problems.add(
        'config.API_DOCUMENTATION_REQUIRE_AUTH',
        'requires authentication, but no strategy is enabled: set API_AUTHENTICATE_METHOD.',
      )
    }
    check('config.API_CREATE_DOCS', docs.commonSpec, taken)
    check('config.API_DOCUMENTATION_URL', docs.page, [...taken, docs.commonSpec])
    check('config.API_DOCS_SPEC_ROUTE', docs.spec, [...taken, docs.page, docs.script])
  }
  if (healthRoute !== null) {
    const { page, script, spec, commonSpec } = docs ?? {}
    const others = [...taken, page, script, spec, commonSpec]
    check('config.API_HEALTH_ROUTE', healthRoute, others)
  }
  if (batch !== null && taken.includes(batch.path)) {
    problems.add(
      'config.API_BATCH_ROUTE',
      `"${batch.path}" is already the path of other endpoints.`,
    )
  }
}
