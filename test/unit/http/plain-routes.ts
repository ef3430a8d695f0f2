/** Routing without shortcuts: decodes every segment, and tries longer endpoints first. The route table is compared with it. */
import { ApiError } from '../../../packages/core/src/errors.ts'
import type { RouteTable } from '../../../packages/core/src/http/route-table.ts'
import { relationBySegment } from '../../../packages/core/src/model/registry/relations/relation-token.ts'
import type { Resource } from '../../../packages/core/src/model/registry/resource.ts'
import type { Route } from '../../../packages/core/src/model/route.ts'

/** Returns a route, undefined, or 400 for an invalid escape. */
export function routeOf(table: RouteTable, path: string): Route | undefined | 400 {
  if (!isBelow(table, path)) return undefined
  const raw = path.split('/').slice(1 + table.prefix.length)
  if (raw.some((segment) => decoded(segment) === undefined)) return 400
  const segments = raw.map((segment) => decoded(segment) ?? '')
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return undefined
  for (let length = segments.length; length >= 1; length--) {
    const endpoint = segments.slice(0, length)
    const resource = endpoint.some((segment) => segment.includes('/'))
      ? undefined
      : table.byPath.get(endpoint.join('/'))
    if (resource !== undefined) return below(resource, raw.slice(length), segments.slice(length))
  }
  return undefined
}

function below(
  resource: Resource,
  [rawKey = '']: readonly string[],
  [key, segment, ...more]: readonly string[],
): Route | undefined {
  if (key === undefined) return { kind: 'collection', resource }
  const parts = rawKey.split(',').map((part) => decoded(part) ?? '')
  if (segment === undefined) return { kind: 'item', resource, key: parts }
  if (more.length > 0) return undefined
  const relation = relationBySegment(resource, segment)
  if (relation !== undefined) return { kind: 'related', resource, key: parts, relation }
  const restores = segment === 'restore' && resource.settings.softDelete !== null
  return restores ? { kind: 'restore', resource, key: parts } : undefined
}

/** Whether the API serves this path. */
export function isOursPlainly(table: RouteTable, path: string): boolean {
  if (!isBelow(table, path)) return false
  const name = decoded(path.split('/')[1 + table.prefix.length] ?? '')
  if (!table.released.has(name ?? '')) return true
  const route = routeOf(table, path)
  return route !== undefined && route !== 400
}

function isBelow({ prefix }: RouteTable, path: string): boolean {
  const segments = path.split('/').slice(1)
  return (
    path.startsWith('/') &&
    segments.length >= prefix.length &&
    prefix.every((segment, i) => decoded(segments[i] ?? '') === segment)
  )
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns the result of a function, or the status of its error. */
export function givenOrStatus<T>(run: () => T): T | number {
  try {
    return run()
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}
