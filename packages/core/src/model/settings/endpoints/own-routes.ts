// The API's own routes: the paths that belong to no resource. Start-up checks them against each other and against the models; batches
// refuse them, the adapters recognise them outside of API_PREFIX, a 404 suggests them, and the OpenAPI document describes them by name.

import type { ApiConfig } from '../config.ts'
import type { ApiSettings } from '../settings.ts'

/** The settings that say where the own routes are. */
export type OwnRouteSettings = Pick<
  ApiSettings,
  'docs' | 'healthRoute' | 'prefix' | 'batch' | 'auth'
>

/** A path that belongs to no resource. */
export interface OwnRoute {
  /** Returns the path; null or undefined where the settings do not enable it. */
  readonly path: (settings: OwnRouteSettings) => string | null | undefined
  /** The key under which a conflict is reported: the one that sets the path, or else the one that can remove the conflict. */
  readonly key: keyof ApiConfig
  /** What the path serves, for the messages about the other paths. */
  readonly what: string
}

export type OwnRouteName =
  | 'index'
  | 'login'
  | 'logout'
  | 'refresh'
  | 'me'
  | 'keys'
  | 'commonDocument'
  | 'docsPage'
  | 'docsScript'
  | 'document'
  | 'health'
  | 'readiness'
  | 'batch'

/** The own routes by name. Of two with equal paths, the later is reported. */
export const ownRoutes: Readonly<Record<OwnRouteName, OwnRoute>> = {
  index: {
    path: ({ prefix }) => prefix,
    key: 'API_PREFIX',
    what: 'the index (API_PREFIX)',
  },
  login: {
    path: ({ auth }) => auth.routes.login,
    key: 'API_PREFIX',
    what: 'the login',
  },
  logout: {
    path: ({ auth }) => auth.routes.logout,
    key: 'API_PREFIX',
    what: 'the logout',
  },
  refresh: {
    path: ({ auth }) => auth.routes.refresh,
    key: 'API_AUTH_REFRESH_ROUTE',
    what: 'the refresh of tokens (API_AUTH_REFRESH_ROUTE)',
  },
  me: {
    path: ({ auth }) => auth.routes.me,
    key: 'API_AUTH_ME_ROUTE',
    what: 'the current user (API_AUTH_ME_ROUTE)',
  },
  keys: {
    path: ({ auth }) => auth.routes.keys,
    key: 'API_KEYS',
    what: 'the API keys (API_KEYS)',
  },
  commonDocument: {
    path: ({ docs }) => docs?.commonSpec,
    key: 'API_CREATE_DOCS',
    what: 'the OpenAPI document',
  },
  docsPage: {
    path: ({ docs }) => docs?.page,
    key: 'API_DOCUMENTATION_URL',
    what: 'the documentation page (API_DOCUMENTATION_URL)',
  },
  docsScript: {
    path: ({ docs }) => docs?.script,
    key: 'API_DOCUMENTATION_URL',
    what: 'the script of the documentation page',
  },
  document: {
    path: ({ docs }) => docs?.spec,
    key: 'API_DOCS_SPEC_ROUTE',
    what: 'the OpenAPI document (API_DOCS_SPEC_ROUTE)',
  },
  health: {
    path: ({ healthRoute }) => healthRoute,
    key: 'API_HEALTH_ROUTE',
    what: 'the health check (API_HEALTH_ROUTE)',
  },
  readiness: {
    path: ({ healthRoute }) => (healthRoute === undefined ? undefined : `${healthRoute}/ready`),
    key: 'API_HEALTH_ROUTE',
    what: 'the readiness check (API_HEALTH_ROUTE)',
  },
  batch: {
    path: ({ batch }) => batch?.path,
    key: 'API_BATCH_ROUTE',
    what: 'batches (API_BATCH_ROUTE)',
  },
}

/** Returns the paths of the own routes that the settings enable. */
export const ownRoutePaths = (settings: OwnRouteSettings): ReadonlySet<string> =>
  new Set(Object.values(ownRoutes).flatMap(({ path }) => path(settings) ?? []))
