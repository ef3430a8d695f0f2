// reach: whether a caller may list a resource. If not, queries of the caller cannot join or filter by it, and relations to it are URLs
// instead of records.

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
export const isKnown = ({ settings }: Resource, { authenticated, strategy }: Caller): boolean =>
  authenticated && (strategy === undefined || settings.strategies.includes(strategy))

/** Whether the caller has a permission on the resource: checks methods, authentication and roles. */
export const mayAct = (resource: Resource, permission: Permission, caller: Caller): boolean =>
  resource.settings.methods.has(methodOf(permission)) &&
  (isKnown(resource, caller) || !needsAuthentication(resource, permission)) &&
  allowedByRoles(resource.settings.roleMaps, permission, caller)

/** Whether a caller could send `GET /api/<resource>`. */
export const mayList = (resource: Resource, caller: Caller): boolean =>
  mayAct(resource, 'GET_MANY', caller)

/** Returns `mayList` for one caller, memoised by model: a caller with column rights sees a model by another Resource with the same settings. */
export function reachOf(caller: Caller): Reach {
  const known = new Map<AnyModel, boolean>()
  return (resource) => {
    const answer = known.get(resource.model) ?? mayList(resource, caller)
    known.set(resource.model, answer)
    return answer
  }
}
