// Builds the OpenAPI 3.1 document from the registry and the settings: an operation for every method of every route; pure.

import type { OpenAPIObject, PathItemObject } from 'openapi3-ts/oas31'
import type { MethodName } from '../config/config.ts'
import type { ApiSettings } from '../config/settings.ts'
import type { Route } from '../http/route-table.ts'
import { relationBySegment } from '../registry/relation-token.ts'
import type { Registry, Resource } from '../registry/resource.ts'
import { authPaths } from './auth-operations.ts'
import { createComponents, freeName } from './components.ts'
import { healthPaths } from './health-operations.ts'
import { infoOf, serversOf, tagGroupsOf, tagsOf } from './info.ts'
import { operationOf, type Writer } from './operations.ts'
import { namesAlike } from './record-schemas.ts'
import { type Protection, securitySchemes } from './security.ts'

/** Methods and protection of routes, provided by the endpoints. */
export interface Endpoints {
  /** The methods of a route, as `Allow` lists them. */
  methods(route: Route): readonly string[]
  /** The authentication that it requires. */
  protection(route: Route, method: string): Protection
}

const documented: readonly MethodName[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/**
 * Builds the document of an API. HEAD and OPTIONS are omitted: HEAD responds like GET without a body, OPTIONS lists the
 * methods.
 *
 * ```ts
 * openapiDocument(registry, settings, endpoints).paths['/api/books'].get.operationId // 'listBooks'
 * ```
 */
export function openapiDocument(
  registry: Registry,
  settings: ApiSettings,
  endpoints: Endpoints,
): OpenAPIObject {
  const { resources } = registry
  const components = createComponents(resources.map(({ name }) => name))
  const ids = new Set<string>()
  const writer: Writer = {
    components,
    registry,
    alike: namesAlike(registry),
    settings,
    protection: endpoints.protection,
    operationId(wanted) {
      const id = freeName(wanted, (known) => ids.has(known))
      ids.add(id)
      return id
    },
  }
  const paths = {
    ...authPaths(writer),
    ...healthPaths(writer),
    // Record operations come first, so that their operationIds get no number.
    ...pathsOf(writer, endpoints, resources.flatMap(ownRoutes), resources.flatMap(relationRoutes)),
  }
  const served = resources.filter(({ paths: own }) => own.length > 0)
  const auth = Object.values(settings.auth.routes).some((path) => path !== null)
  const own = { auth, health: settings.healthRoute !== null }
  const groups = tagGroupsOf(served, own)
  const schemes = securitySchemes(settings.auth)
  const protects = Object.keys(schemes).length > 0
  return {
    openapi: '3.1.0',
    info: infoOf(settings),
    servers: serversOf(settings, ''),
    ...(protects ? {} : { security: [] }),
    tags: tagsOf(served, own),
    ...(groups === undefined ? {} : { 'x-tagGroups': groups }),
    paths,
    components: {
      ...components.collected(),
      ...(protects ? { securitySchemes: schemes } : {}),
    },
  }
}

interface RouteAt {
  readonly path: string
  readonly aliases: readonly string[]
  readonly route: Route
}

/** The routes of collection, record and restore; the first path is the canonical one, the others are aliases. */
function ownRoutes(resource: Resource): RouteAt[] {
  const [path, ...aliases] = resource.paths
  if (path === undefined) return []
  const key = resource.primaryKey.map(({ name }) => `{${name}}`).join(',')
  return [
    { path, aliases, route: { kind: 'collection', resource } },
    {
      path: `${path}/${key}`,
      aliases: aliases.map((alias) => `${alias}/${key}`),
      route: { kind: 'item', resource, key: [] },
    },
    ...(resource.settings.softDelete === null
      ? []
      : [
          {
            path: `${path}/${key}/restore`,
            aliases: aliases.map((alias) => `${alias}/${key}/restore`),
            route: { kind: 'restore', resource, key: [] } as const,
          },
        ]),
  ]
}

function relationRoutes(resource: Resource): RouteAt[] {
  const item = ownRoutes(resource)[1]
  if (item === undefined) return []
  return [...resource.relations.values()].map((relation) => {
    const { segment, target } = relation
    const plural = relationBySegment(resource, target.endpoint) === relation
    const segments = plural && target.endpoint !== segment ? [segment, target.endpoint] : [segment]
    const [path = '', ...aliases] = [item.path, ...item.aliases].flatMap((own) =>
      segments.map((one) => `${own}/${one}`),
    )
    return { path, aliases, route: { kind: 'related', resource, key: [], relation } }
  })
}

function pathsOf(
  writer: Writer,
  endpoints: Endpoints,
  ...stages: readonly (readonly RouteAt[])[]
): Record<string, PathItemObject> {
  const { prefix } = writer.settings
  const items = new Map<Resource, [string, PathItemObject][]>()
  for (const { path, aliases, route } of stages.flat()) {
    const allowed = endpoints.methods(route)
    const operations = documented
      .filter((method) => allowed.includes(method))
      .map((method) => [method.toLowerCase(), operationOf(writer, route, method)] as const)
    if (operations.length === 0) continue
    const others = aliases.map((alias) => `${prefix}/${alias}`)
    const item = {
      ...(others.length === 0 ? {} : { 'x-aliases': others }),
      ...Object.fromEntries(operations),
    }
    const known = items.get(route.resource) ?? []
    items.set(route.resource, [...known, [`${prefix}/${path}`, item]])
  }
  return Object.fromEntries([...items.values()].flat())
}
