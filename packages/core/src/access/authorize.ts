// authorize: which actions on which resources a request performs, and whether the caller's roles allow all of them. Called by
// `http/endpoints/routing/serve-call.ts`, and by batches, after authentication and before the query is parsed.

import { forbidden } from '../errors.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { Route } from '../model/route.ts'
import type { Action } from './action.ts'
import { allowedByRoles, type Caller } from './roles/roles.ts'

/** An action on a resource that the caller's roles must allow. */
export interface ActionCheck {
  readonly resource: Resource
  readonly action: Action
}

/**
 * Returns the checks of a request. A relation route needs two: the RELATION_ action on the parent, and reading the target.
 *
 * ```ts
 * checksOf({ kind: 'related', resource: author, relation: books, key: ['1'] }, 'GET')
 * // [{ resource: author, action: 'RELATION_GET_MANY' }, { resource: book, action: 'GET_MANY' }]
 * ```
 */
export function checksOf(route: Route, method: string): readonly ActionCheck[] {
  const { resource } = route
  const reads = method === 'GET' || method === 'HEAD'
  switch (route.kind) {
    case 'collection':
      return [{ resource, action: reads ? 'GET_MANY' : (method as Action) }]
    case 'item':
      return [{ resource, action: reads ? 'GET_ONE' : (method as Action) }]
    case 'restore':
      return [{ resource, action: 'RESTORE' }]
    case 'related': {
      const many = route.relation.cardinality === 'many'
      return [
        { resource, action: many ? 'RELATION_GET_MANY' : 'RELATION_GET_ONE' },
        { resource: route.relation.target, action: many ? 'GET_MANY' : 'GET_ONE' },
      ]
    }
  }
}

/** Throws 403 if the caller lacks a role that one of the checks requires. */
export function authorize(caller: Caller, checks: readonly ActionCheck[]): void {
  for (const { resource, action } of checks) {
    const { roleMaps } = resource.settings
    if (roleMaps.length > 0 && !allowedByRoles(roleMaps, action, caller)) throw forbidden()
  }
}
