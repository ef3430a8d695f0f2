// What a caller may do with a resource by methods, authentication and roles, without asking its policy. `reachOf` gives the planner of
// queries which resources the caller may list: a query cannot join or filter by any other, and relations to others are URLs instead of
// records.

import type { AnyModel } from '../model/define-model.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { Reach } from '../query/plan/context.ts'
import { methodOf, type Permission } from './action.ts'
import { needsAuthentication } from './requirement.ts'
import { allowedByRoles, type Caller } from './roles/roles.ts'

/**
 * Whether the caller is authenticated by a strategy that the resource accepts; another strategy may be weaker. Without a strategy, the host
 * application has set the user itself, which every resource accepts.
 */
export const isAuthenticatedFor = (
  { settings }: Resource,
  { authenticated, strategy }: Caller,
): boolean => authenticated && (strategy === undefined || settings.strategies.includes(strategy))

/** Whether the caller has a permission on the resource: checks methods, authentication and roles. */
export const hasPermission = (
  resource: Resource,
  permission: Permission,
  caller: Caller,
): boolean =>
  resource.settings.methods.has(methodOf(permission)) &&
  (isAuthenticatedFor(resource, caller) || !needsAuthentication(resource, permission)) &&
  allowedByRoles(resource.settings.roleMaps, permission, caller)

/** Whether the methods and roles of a resource allow the caller to list it: `GET /api/<resource>` is neither 401, 403 nor 405. */
export const isListAllowed = (resource: Resource, caller: Caller): boolean =>
  hasPermission(resource, 'GET_MANY', caller)

/**
 * Returns `isListAllowed` for one caller and request. The answers are cached by model, because column rights give the caller another
 * Resource object of the same model and settings.
 */
export function reachOf(caller: Caller): Reach {
  const known = new Map<AnyModel, boolean>()
  return (resource) => {
    const answer = known.get(resource.model) ?? isListAllowed(resource, caller)
    known.set(resource.model, answer)
    return answer
  }
}
