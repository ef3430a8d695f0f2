// Warns if a model's role map replaces the API's map but has no rule for an action, so that the action needs no role.

import type { Resource } from '../registry/resource.ts'
import { type Action, methodOf } from './action.ts'
import { decidingRules } from './roles.ts'

const actions: readonly Action[] = ['GET_MANY', 'GET_ONE', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Warns of actions that need a role under the API's map and none under the model's. An empty map is taken as intended. */
export function warnOfLiftedRoles(resource: Resource, warn: (message: string) => void): void {
  const { methods, replacedRoleMaps, roleMaps } = resource.settings
  if (!roleMaps.some(({ map }) => Object.keys(map).length > 0)) return
  const lifted = actions.filter(
    (action) =>
      methods.has(methodOf(action)) &&
      decidingRules(roleMaps, action).length === 0 &&
      decidingRules(replacedRoleMaps, action).length > 0,
  )
  if (lifted.length === 0) return
  warn(
    `${roleMaps[0]?.at} replaces ${replacedRoleMaps.map(({ at }) => at).join(' and ')} and has no rule for ${lifted.join(', ')}, which therefore need no role. Add ALL to it to set a rule for them; ALL: true requires authentication only.`,
  )
}
