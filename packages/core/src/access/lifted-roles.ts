// Lifted roles: a role map of a model replaces that of the API as a whole; what it forgets needs no role any more, which its author should hear.

import type { Resource } from '../registry/resource.ts'
import { type Action, methodOf } from './action.ts'
import { decidingRules } from './roles.ts'

const actions: readonly Action[] = ['GET_MANY', 'GET_ONE', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Warns of requests that need a role by the API's rules and none by the model's; an empty map says so on purpose. */
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
    `${roleMaps[0]?.at} replaces ${replacedRoleMaps.map(({ at }) => at).join(' and ')} and has no rule for ${lifted.join(', ')}, which therefore need no role. Add ALL to it to say what they need; ALL: true asks for authentication only.`,
  )
}
