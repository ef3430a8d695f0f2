// documentSteps: builds the OpenAPI 3.1 document from the registry and the settings: an operation for every method of every route; pure.
// `endpoint/documentation.ts` calls it when the document is first needed, and caches the result.

import type { OpenAPIObject, PathItemObject } from 'openapi3-ts/oas31'
import { isListAllowed } from '../access/reach.ts'
import { anonymous } from '../access/roles/roles.ts'
import { relationBySegment } from '../model/registry/relations/relation-token.ts'
import type { Registry, Resource } from '../model/registry/resource.ts'
import { isKeyless } from '../model/registry/row-identity.ts'
import type { Route } from '../model/route.ts'
import type { MethodName } from '../model/settings/config.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import { serverVariable } from './code-samples.ts'
import { infoOf, serversOf, tagGroupsOf, tagsOf } from './info.ts'
import type { DocumentBuilder } from './operations/operation-draft.ts'
import { operationOf, servedTags, servicePaths } from './operations/operations.ts'
import { createComponents, freeName } from './schemas/components.ts'
import { namesAlike } from './schemas/record-schemas.ts'
import { type Protection, securitySchemes } from './security.ts'

/** Methods and protection of routes, provided by the endpoints. */
export interface Endpoints {
  /** Returns the methods of a route, as `Allow` lists them. */
  methods(route: Route): readonly string[]
  /** Returns the authentication that a method of a route requires. */
  protection(route: Route, method: string): Protection
  /** Whether API_SESSION_GETTER gives each request its connection. */
  readonly hasSessions: boolean
}

const documented: readonly MethodName[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/**
 * Builds the document of an API, in steps of a path or a component each. HEAD and OPTIONS are omitted: HEAD responds like GET without
 * a body, OPTIONS lists the methods.
 *
 * ```ts
 * (await inSlices(documentSteps(registry, settings, endpoints))).paths['/api/books'].get.operationId // 'listBooks'
 * ```
 */
export function* documentSteps(
  registry: Registry,
  settings: ApiSettings,
  endpoints: Endpoints,
): Generator<void, OpenAPIObject> {
  const { resources } = registry
  const components = createComponents(resources.map(({ name }) => name))
  const ids = new Set<string>()
  const builder: DocumentBuilder = {
    components,
    registry,
    alike: namesAlike(registry),
    settings,
    restrictsLists: resources.some(
      (resource) => resource.settings.policy !== null || !isListAllowed(resource, anonymous),
    ),
    protection: endpoints.protection,
    hasSessions: endpoints.hasSessions,
    operationId(wanted) {
      const id = freeName(wanted, (known) => ids.has(known))
      ids.add(id)
      return id
    },
  }
  const own = servicePaths(builder)
  // Record operations come first, so that their operationIds get no number.
  const routes = [...resources.flatMap(ownRoutes), ...resources.flatMap(relationRoutes)]
  const paths = { ...own, ...(yield* pathSteps(builder, endpoints, routes)) }
  const collected = yield* components.steps()
  const served = resources.filter(({ paths: places }) => places.length > 0)
  const services = servedTags(settings)
  const groups = tagGroupsOf(served, services)
  const schemes = securitySchemes(settings.auth)
  const protects = Object.keys(schemes).length > 0
  return {
    openapi: '3.1.0',
    info: infoOf(settings),
    servers: serversOf(settings),
    ...(protects ? {} : { security: [] }),
    tags: tagsOf(served, services, serverVariable(settings)),
    ...(groups === undefined ? {} : { 'x-tagGroups': groups }),
    paths,
    components: { ...collected, ...(protects ? { securitySchemes: schemes } : {}) },
  }
}

/** A route, and where it is served. Its key is empty: the path has parameters in place of the values. */
interface RouteAt {
  /** Below API_PREFIX, with the key as parameters: `books/{id}`. */
  readonly path: string
  /** Further paths. A further path of a collection is also a prefix of the paths below the collection. */
  readonly aliases: readonly string[]
  readonly route: Route
}

/** Returns the routes of collection, record and restore; the first path is the canonical one, the others are aliases. */
function ownRoutes(resource: Resource): RouteAt[] {
  const [path, ...aliases] = resource.paths
  if (path === undefined) return []
  if (isKeyless(resource)) {
    return [{ path, aliases, route: { kind: 'collection', resource } }]
  }
  const item = itemPath(resource, path)
  return [
    { path, aliases, route: { kind: 'collection', resource } },
    { path: item, aliases: [], route: { kind: 'item', resource, key: [] } },
    ...(resource.settings.softDelete === null
      ? []
      : [
          {
            path: `${item}/restore`,
            aliases: [],
            route: { kind: 'restore', resource, key: [] } as const,
          },
        ]),
  ]
}

const itemPath = ({ primaryKey }: Resource, path: string): string =>
  `${path}/${primaryKey.map(({ name }) => `{${name}}`).join(',')}`

/** Returns the routes of the relations of a resource, such as `/authors/{id}/books`. */
function relationRoutes(resource: Resource): RouteAt[] {
  const [path] = resource.paths
  if (path === undefined || isKeyless(resource)) return []
  const item = itemPath(resource, path)
  return [...resource.relations.values()].map((relation) => {
    const { segment, target } = relation
    const plural = relationBySegment(resource, target.endpoint) === relation
    return {
      path: `${item}/${segment}`,
      aliases: plural && target.endpoint !== segment ? [`${item}/${target.endpoint}`] : [],
      route: { kind: 'related', resource, key: [], relation },
    }
  })
}

/** Builds the operations of the routes, a route in each step; returns them by path. */
function* pathSteps(
  builder: DocumentBuilder,
  endpoints: Endpoints,
  routes: readonly RouteAt[],
): Generator<void, Record<string, PathItemObject>> {
  const { prefix } = builder.settings
  const items = new Map<Resource, [string, PathItemObject][]>()
  for (const { path, aliases, route } of routes) {
    yield
    const allowed = endpoints.methods(route)
    const operations = documented
      .filter((method) => allowed.includes(method))
      .map((method) => [method.toLowerCase(), operationOf(builder, route, method)] as const)
    if (operations.length === 0) continue
    const others = aliases.map((alias) => `${prefix}/${alias}`)
    const item = {
      ...(others.length === 0 ? {} : { 'x-aliases': others }),
      ...Object.fromEntries(operations),
    }
    const known = items.get(route.resource)
    if (known === undefined) items.set(route.resource, [[`${prefix}/${path}`, item]])
    else known.push([`${prefix}/${path}`, item])
  }
  return Object.fromEntries([...items.values()].flat())
}
