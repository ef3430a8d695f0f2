// "Did you mean …?" for paths: an endpoint that differs from an unknown path in case, plural or slashes only (contract §3).

import pluralize from 'pluralize'
import type { Resource } from '../registry/resource.ts'
import { matchRoute, type RouteTable } from './route-table.ts'

/** Longest path, in characters, for which a suggestion is computed. */
const longest = 200

/**
 * The endpoint that is probably meant, or undefined; `others` are the paths that belong to no resource.
 *
 * ```ts
 * similarPath(table, ['/auth/login'], '/api/Book/1/') // '/api/books/1'
 * ```
 */
export function similarPath(
  table: RouteTable,
  others: readonly string[],
  path: string,
): string | undefined {
  if (path.length > longest) return undefined
  const segments = path.split('/').filter((segment) => segment !== '')
  const plain = segments.join('/').toLowerCase()
  const found =
    others.find((other) => other.slice(1).toLowerCase() === plain) ?? routeLike(table, segments)
  return found === path ? undefined : found
}

function routeLike(table: RouteTable, segments: readonly string[]): string | undefined {
  const { prefix, plainPrefix } = table
  const isBelow = prefix.every((one, i) => one.toLowerCase() === segments[i]?.toLowerCase())
  if (!isBelow) return undefined
  const rest = segments.slice(prefix.length)
  for (let length = Math.min(table.longest, rest.length); length >= 1; length--) {
    const endpoint = endpointsOf(table).get(normal(rest.slice(0, length)))
    if (endpoint === undefined) continue
    const below = belowOf(endpoint.resource, rest.slice(length))
    const path = [plainPrefix, endpoint.path, ...(below ?? [])].join('/')
    if (below !== undefined && isRoute(table, path)) return path
  }
  return undefined
}

/** The segments after an endpoint: none, a key, or a key and a relation. */
function belowOf(resource: Resource, rest: readonly string[]): readonly string[] | undefined {
  const [key, segment, ...more] = rest
  if (key === undefined) return []
  if (segment === undefined) return [key]
  const known = [...[...resource.relations.values()].map((one) => one.segment), 'restore']
  const [meant, other] = known.filter((name) => normal([name]) === normal([segment]))
  return meant === undefined || other !== undefined || more.length > 0 ? undefined : [key, meant]
}

interface Endpoint {
  readonly path: string
  readonly resource: Resource
}

const known = new WeakMap<RouteTable, ReadonlyMap<string, Endpoint>>()

/** The endpoints by their normalised form; built when the first unknown path is requested. */
function endpointsOf(table: RouteTable): ReadonlyMap<string, Endpoint> {
  const before = known.get(table)
  if (before !== undefined) return before
  const endpoints = new Map<string, Endpoint>()
  const ambiguous = new Set<string>()
  for (const [path, resource] of table.byPath) {
    const form = normal(path.split('/'))
    const other = endpoints.get(form)
    if (other !== undefined && other.resource !== resource) ambiguous.add(form)
    // The first path of a resource is the one that is suggested.
    endpoints.set(form, other ?? { path, resource })
  }
  for (const form of ambiguous) endpoints.delete(form)
  known.set(table, endpoints)
  return endpoints
}

/** The normalised form: lower case, plural, without hyphens and underscores. */
const normal = (segments: readonly string[]): string =>
  segments.map((text) => pluralize.plural(text.toLowerCase().replace(/[-_]/g, ''))).join('/')

function isRoute(table: RouteTable, path: string): boolean {
  try {
    return matchRoute(table, path) !== undefined
  } catch {
    return false
  }
}
