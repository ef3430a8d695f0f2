// "Did you mean …?" for paths: an endpoint that differs from an unknown path in case, plural, slashes, a few letters or the missing prefix.

import pluralize from 'pluralize'
import { nearest } from '../lib/naming/suggest.ts'
import { needsRight } from '../model/registry/caller-registry.ts'
import type { Resource } from '../model/registry/resource.ts'
import { matchRoute, type RouteTable } from './route-table.ts'

/** Longest path, in characters, for which a suggestion is computed. */
const longest = 200

/**
 * Returns the path that the client probably meant, or undefined; `others` are the served paths that belong to no resource.
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
  const isBelow = isBelowPrefix(table, segments)
  const belowPrefix = isBelow ? segments.slice(table.prefix.length) : segments
  // The client may have put the prefix of the API before a path that is not below it: `/api/auth/login` for `/auth/login`.
  const plain = [segments, belowPrefix].map((some) => some.join('/').toLowerCase())
  const found =
    others.find((other) => plain.includes(other.slice(1).toLowerCase())) ??
    routeLike(table, belowPrefix, isBelow)
  return found === path ? undefined : found
}

const isBelowPrefix = ({ prefix }: RouteTable, segments: readonly string[]): boolean =>
  prefix.every((name, i) => name.toLowerCase() === segments[i]?.toLowerCase())

/** `belowPrefix` is the path without the prefix of the API; a path outside of it gets a suggestion only if it begins with the name of an endpoint. */
function routeLike(
  table: RouteTable,
  belowPrefix: readonly string[],
  isBelow: boolean,
): string | undefined {
  const endpoints = endpointsOf(table)
  const named = endpointForms(table, belowPrefix).filter(({ form }) => endpoints.has(form))
  for (const { form, length } of named) {
    const path = pathBelow(table, endpoints.get(form), belowPrefix.slice(length))
    if (path !== undefined) return path
  }
  return named.length > 0 || !isBelow ? undefined : misspelt(table, belowPrefix)
}

/** Returns the leading segments of a path that may name an endpoint, normalised, the longest first. */
function endpointForms(
  table: RouteTable,
  belowPrefix: readonly string[],
): readonly { readonly length: number; readonly form: string }[] {
  const longestForm = Math.min(table.longest, belowPrefix.length)
  return Array.from({ length: longestForm }, (_, i) => longestForm - i).map((length) => ({
    length,
    form: normalForm(belowPrefix.slice(0, length)),
  }))
}

/** Returns the path with the known endpoint whose name differs in a few letters; undefined if there is none. */
function misspelt(table: RouteTable, belowPrefix: readonly string[]): string | undefined {
  const endpoints = endpointsOf(table)
  for (const { form, length } of endpointForms(table, belowPrefix)) {
    const alike = [...endpoints.keys()].filter((known) => known.split('/').length === length)
    const path = pathBelow(
      table,
      endpoints.get(nearest(form, alike) ?? ''),
      belowPrefix.slice(length),
    )
    if (path !== undefined) return path
  }
  return undefined
}

/** Returns the path of an endpoint with what follows it, if that is a route; undefined otherwise. */
function pathBelow(
  table: RouteTable,
  endpoint: Endpoint | undefined,
  belowEndpoint: readonly string[],
): string | undefined {
  const below = endpoint && belowOf(endpoint.resource, belowEndpoint)
  const path = [table.plainPrefix, endpoint?.path, ...(below ?? [])].join('/')
  return below !== undefined && isRoute(table, path) ? path : undefined
}

/** Returns the segments after an endpoint, with the relation's spelling corrected: none, a key, or a key and a relation. */
function belowOf(
  resource: Resource,
  belowEndpoint: readonly string[],
): readonly string[] | undefined {
  const [key, segment, ...more] = belowEndpoint
  if (key === undefined) return []
  if (segment === undefined) return [key]
  // The caller is not known yet, so relations that not every caller may see are not suggested.
  const shown = [...resource.relations.values()].filter((relation) => !needsRight(relation))
  const known = [...shown.map((relation) => relation.segment), 'restore']
  const [meant, other] = known.filter((name) => normalForm([name]) === normalForm([segment]))
  return meant === undefined || other !== undefined || more.length > 0 ? undefined : [key, meant]
}

interface Endpoint {
  readonly path: string
  readonly resource: Resource
}

const known = new WeakMap<RouteTable, ReadonlyMap<string, Endpoint>>()

/** Returns the endpoints by their normalised form; built when the first unknown path is requested. */
function endpointsOf(table: RouteTable): ReadonlyMap<string, Endpoint> {
  const before = known.get(table)
  if (before !== undefined) return before
  const endpoints = new Map<string, Endpoint>()
  const ambiguous = new Set<string>()
  for (const [path, resource] of table.byPath) {
    const form = normalForm(path.split('/'))
    const other = endpoints.get(form)
    if (other !== undefined && other.resource !== resource) ambiguous.add(form)
    // The first path of a resource is the one that is suggested.
    endpoints.set(form, other ?? { path, resource })
  }
  for (const form of ambiguous) endpoints.delete(form)
  known.set(table, endpoints)
  return endpoints
}

/** Normalises path segments: lower case, plural, without hyphens and underscores. `['Order_Item']` → `orderitems` */
const normalForm = (segments: readonly string[]): string =>
  segments.map((text) => pluralize.plural(text.toLowerCase().replace(/[-_]/g, ''))).join('/')

function isRoute(table: RouteTable, path: string): boolean {
  try {
    return matchRoute(table, path) !== undefined
  } catch {
    return false
  }
}
