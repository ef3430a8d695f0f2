// The route table: maps paths to resources: `/api/books/1` → the record `1` of `books`. `createApi` builds it, the stage `route` of each
// request looks it up. Routing works on the raw path and decodes each segment once. `keylessListAbove` and
// `unrestoredResource` find out why a path has no route.

import { malformedEncoding } from '../errors.ts'
import { decodedSegment } from '../lib/decoded-segment.ts'
import { toCase } from '../lib/naming/case.ts'
import { relationBySegment } from '../model/registry/relations/relation-token.ts'
import type { Registry, Resource } from '../model/registry/resource.ts'
import { isKeyless } from '../model/registry/row-identity.ts'
import type { Route } from '../model/route.ts'
import type { EndpointCase } from '../model/settings/settings.ts'

/** The paths of the resources of an API. */
export interface RouteTable {
  /** The segments of API_PREFIX. */
  readonly prefix: readonly string[]
  /** The prefix without percent-encoding: `/api`; empty if there is none. */
  readonly plainPrefix: string
  /** By the path below the prefix: `books`. */
  readonly byPath: ReadonlyMap<string, Resource>
  /** By the whole path without percent-encoding: `/api/books`. */
  readonly byPlainPath: ReadonlyMap<string, Resource>
  /** Longest endpoint path, in segments. */
  readonly longest: number
  /** Canonical endpoint names that the host application serves itself (meta `register_canonical_routes: false`). */
  readonly released: ReadonlySet<string>
  /** The endpoints that serve the models with released names, by these names. */
  readonly ownPaths: ReadonlyMap<string, string>
}

/** Builds the table once; look-up time does not depend on the number of models. */
export function buildRouteTable(
  registry: Registry,
  prefix: string,
  letterCase: EndpointCase = 'kebab',
): RouteTable {
  const byPath = new Map<string, Resource>()
  for (const resource of registry.resources) {
    for (const path of resource.paths) byPath.set(path, resource)
  }
  const longest = Math.max(1, ...[...byPath.keys()].map((path) => path.split('/').length))
  const released = registry.resources
    .filter(({ endpoint, paths }) => !paths.includes(endpoint))
    .flatMap(({ endpoint, name, paths }) =>
      [endpoint, toCase(name, letterCase)].map((path) => [path, paths[0]] as const),
    )
    .filter(([name]) => !byPath.has(name))
  const segments = prefix.split('/').filter((segment) => segment !== '')
  const plainPrefix = segments.map((segment) => `/${segment}`).join('')
  const plain = [...byPath].filter(([path]) => path.split('/').every(isPlain))
  return {
    prefix: segments,
    plainPrefix,
    byPath,
    byPlainPath: new Map(plain.map(([path, resource]) => [`${plainPrefix}/${path}`, resource])),
    longest,
    released: new Set(released.map(([name]) => name)),
    ownPaths: new Map(
      released.flatMap(([name, path]) => (path === undefined ? [] : [[name, path]])),
    ),
  }
}

/**
 * Splits a URL at its first question mark into path and raw query. The origin of an absolute URL, which a request line may
 * have (RFC 9112 §3.2.2), is removed.
 */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const end = url.indexOf('#')
  const whole = end === -1 ? url : url.slice(0, end)
  const clean = whole.startsWith('/') ? whole : whole.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = clean.indexOf('?')
  return mark === -1
    ? { path: clean, query: '' }
    : { path: clean.slice(0, mark), query: clean.slice(mark + 1) }
}

/** Whether the API serves a path: it is under the prefix, and the host application does not serve it itself. */
export function isServed(table: RouteTable, path: string): boolean {
  if (!isBelow(table, path)) return false
  if (table.released.size === 0) return true
  const [name = ''] = path.split('/').slice(1 + table.prefix.length)
  if (!table.released.has(decodedSegment(name) ?? '')) return true
  // A longer path may still be an endpoint: the host serves /api/books, the API /api/books/archive.
  try {
    return matchRoute(table, path) !== undefined
  } catch {
    return false
  }
}

/** Whether the path lies under the API's prefix. */
function isBelow({ prefix, plainPrefix }: RouteTable, path: string): boolean {
  if (!path.startsWith('/')) return false
  if (!path.includes('%')) {
    const next = path[plainPrefix.length]
    return path.startsWith(plainPrefix) && (next === undefined || next === '/')
  }
  const segments = path.split('/').slice(1)
  return (
    segments.length >= prefix.length &&
    prefix.every((segment, i) => segment === decodedSegment(segments[i] ?? ''))
  )
}

/** Whether the path is that of the index: the prefix itself, or the root of the server or of the mount. */
export function isIndex({ prefix, plainPrefix }: RouteTable, path: string): boolean {
  if (path === plainPrefix || path === '/' || path === '') return true
  if (!path.includes('%')) return false
  const segments = path.split('/').slice(1)
  return (
    segments.length === prefix.length &&
    prefix.every((segment, i) => segment === decodedSegment(segments[i] ?? ''))
  )
}

/** Returns the route of a path under the prefix; undefined for an unknown path. */
export function matchRoute(table: RouteTable, path: string): Route | undefined {
  return path.includes('%')
    ? anyRoute(table, path)
    : (plainRoute(table, path) ?? anyRoute(table, path))
}

/** Returns the route of a list or record path without percent-encoding, the most common ones, without splitting the path. */
function plainRoute({ byPlainPath }: RouteTable, path: string): Route | undefined {
  const list = byPlainPath.get(path)
  if (list !== undefined) return { kind: 'collection', resource: list }
  const slash = Math.max(0, path.lastIndexOf('/'))
  const resource = byPlainPath.get(path.slice(0, slash))
  const key = path.slice(slash + 1)
  return resource === undefined || isKeyless(resource) || !isPlain(key)
    ? undefined
    : { kind: 'item', resource, key: key.split(',') }
}

/** Returns the route of any path, percent-encoded or not: tries the longest endpoint that its leading segments name first. */
function anyRoute(table: RouteTable, path: string): Route | undefined {
  if (!isBelow(table, path)) return undefined
  const raw = path.split('/').slice(1 + table.prefix.length)
  const segments = raw.map(decoded)
  if (segments.some((segment) => !isPlain(segment))) return undefined
  for (let length = Math.min(table.longest, segments.length); length >= 1; length--) {
    const endpoint = segments.slice(0, length)
    // %2F is part of a segment, not a separator.
    if (endpoint.some((segment) => segment.includes('/'))) continue
    const resource = table.byPath.get(endpoint.join('/'))
    if (resource !== undefined)
      return routeBelow(resource, raw.slice(length), segments.slice(length))
  }
  return undefined
}

/** Returns the path of the list above a path, if the rows of that list have no primary key and therefore no URLs. */
export function keylessListAbove(table: RouteTable, path: string): string | undefined {
  const [list] = [...table.byPlainPath].find(
    ([list, resource]) => isKeyless(resource) && path.startsWith(`${list}/`),
  ) ?? [undefined]
  return list
}

/** Returns the resource of which an unknown path would restore a record if it used soft delete. */
export function unrestoredResource(table: RouteTable, path: string): Resource | undefined {
  if (!path.endsWith('/restore')) return undefined
  const route = matchRoute(table, path.slice(0, -'/restore'.length))
  return route?.kind === 'item' ? route.resource : undefined
}

/**
 * Returns the route of the segments after an endpoint; undefined if they are none of its paths. `raw` are these segments before decoding,
 * because only a comma that is not encoded divides a key.
 */
function routeBelow(
  resource: Resource,
  raw: readonly string[],
  segments: readonly string[],
): Route | undefined {
  if (segments.length === 0) return { kind: 'collection', resource }
  if (isKeyless(resource)) return undefined
  const key = (raw[0] ?? '').split(',').map(decoded)
  if (segments.length === 1) return { kind: 'item', resource, key }
  if (segments.length > 2) return undefined
  const segment = segments[1] ?? ''
  const relation = relationBySegment(resource, segment)
  if (relation !== undefined) return { kind: 'related', resource, key, relation }
  // A relation named `restore` takes precedence.
  return segment === 'restore' && resource.settings.softDelete !== null
    ? { kind: 'restore', resource, key }
    : undefined
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw malformedEncoding(segment)
  }
}

/** Empty and dot segments match nothing: clients and proxies may normalise them to another path. */
const isPlain = (segment: string): boolean => segment !== '' && segment !== '.' && segment !== '..'
