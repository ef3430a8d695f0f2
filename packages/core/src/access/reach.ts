// reach: may this caller list that resource at all? Joins and relation filters to others are refused, embeds stay URLs.

import type { Reach } from '../plan/context.ts'
import type { Resource } from '../registry/resource.ts'
import { type Action, methodOf } from './action.ts'
import { needsAuthentication } from './requirement.ts'
import { allowedByRoles, type Caller } from './roles.ts'

/** A caller is known to a resource by a strategy that the resource accepts: another's may be weaker. */
const isKnown = ({ settings }: Resource, { authenticated, strategy }: Caller): boolean =>
  authenticated && (strategy === undefined || settings.strategies.includes(strategy))

/** Whether a caller could send a request of this kind to the resource itself: its methods, requirements and roles. */
export const mayAct = (resource: Resource, action: Action, caller: Caller): boolean =>
  resource.settings.methods.has(methodOf(action)) &&
  (isKnown(resource, caller) || !needsAuthentication(resource, action)) &&
  allowedByRoles(resource.settings.roleMaps, action, caller)

/** Whether a caller could send `GET /api/<resource>`. */
export const mayList = (resource: Resource, caller: Caller): boolean =>
  mayAct(resource, 'GET_MANY', caller)

/** As `mayList`, for one caller; each resource is decided once. */
export function reachOf(caller: Caller): Reach {
  const known = new Map<Resource, boolean>()
  return (resource) => {
    const answer = known.get(resource) ?? mayList(resource, caller)
    known.set(resource, answer)
    return answer
  }
}
