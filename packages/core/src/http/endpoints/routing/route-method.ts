// What a route allows: its methods, the action of each, which roles, policies and hooks receive, and QUERY; and whose records it returns.

import type { Action } from '../../../access/action.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'

/** Returns the resource whose records the route returns. */
export const resourceOf = (route: Route): Resource =>
  route.kind === 'related' ? route.relation.target : route.resource

/** Returns the methods for the `Allow` header: the resource's methods that exist on this kind of route, and HEAD if GET is allowed. */
export function allowedMethods(route: Route): readonly string[] {
  const { methods } = route.resource.settings
  if (route.kind === 'restore') return methods.has('PATCH') ? ['POST', 'OPTIONS'] : ['OPTIONS']
  const reads = methods.has('GET') && resourceOf(route).settings.methods.has('GET')
  const writes = writingMethods(route).filter((method) => methods.has(method))
  const reading = hasQuery(route) ? ['GET', 'HEAD', 'QUERY'] : ['GET', 'HEAD']
  return [...(reads ? reading : []), ...writes, 'OPTIONS']
}

/** Whether a kind of route has QUERY, which takes the query language: lists and relations. */
export const hasQuery = ({ kind }: Route): boolean => kind === 'collection' || kind === 'related'

const changesOfMany = ['PATCH', 'DELETE'] as const

/** Returns the methods that a kind of route has in addition to GET. */
function writingMethods({ kind, resource }: Route): readonly string[] {
  switch (kind) {
    case 'collection':
      return [
        'POST',
        ...changesOfMany.filter((method) => resource.settings.bulkMethods.has(method)),
      ]
    case 'item':
      return ['PATCH', 'PUT', 'DELETE']
    case 'related':
    case 'restore':
      return []
  }
}

/** Returns the action of an allowed method; HEAD is GET without a body. */
export function actionOf(route: Route, method: string): Action {
  if (route.kind === 'restore') return 'RESTORE'
  if (method !== 'GET' && method !== 'HEAD') return method as Action
  switch (route.kind) {
    case 'collection':
      return 'GET_MANY'
    case 'item':
      return 'GET_ONE'
    case 'related':
      return route.relation.cardinality === 'many' ? 'RELATION_GET_MANY' : 'RELATION_GET_ONE'
  }
}
