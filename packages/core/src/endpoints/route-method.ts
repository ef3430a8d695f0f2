// What a method means on a route: the methods it allows, and the action that roles, policies and hooks are told.

import type { Action } from '../access/action.ts'
import type { Route } from '../http/route-table.ts'
import type { Resource } from '../registry/resource.ts'

/** The resource whose records are answered. */
export const resourceOf = (route: Route): Resource =>
  route.kind === 'related' ? route.relation.target : route.resource

/** What `Allow` lists: the resource's methods that this kind of route has; HEAD goes with GET. */
export function allowedMethods(route: Route): readonly string[] {
  const { methods } = route.resource.settings
  if (route.kind === 'restore') return methods.has('PATCH') ? ['POST', 'OPTIONS'] : ['OPTIONS']
  const reads = methods.has('GET') && resourceOf(route).settings.methods.has('GET')
  const writes = writingMethods(route).filter((method) => methods.has(method))
  return [...(reads ? ['GET', 'HEAD'] : []), ...writes, 'OPTIONS']
}

/** The methods beside GET that a kind of route has. */
function writingMethods({ kind, resource }: Route): readonly string[] {
  switch (kind) {
    case 'collection':
      return resource.settings.allowBulk ? ['POST', 'PATCH', 'DELETE'] : ['POST']
    case 'item':
      return ['PATCH', 'PUT', 'DELETE']
    case 'related':
    case 'restore':
      return []
  }
}

/** The action of an allowed method; HEAD is GET without a body. */
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
