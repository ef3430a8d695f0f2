// A warning for hosts whose user objects have no member `roles` although rules require roles: all requests of these users are 403.

import { nearest } from '../../lib/naming/suggest.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { HostFunctions } from '../hooks/host-functions.ts'
import type { Caller } from './roles.ts'
import { rolesNamed } from './roles-named.ts'

/** Receives each caller whose roles are checked; `needsRole`: whether the rule requires a role. Default: whether any rule of the API does. */
export type MissingRolesHint = (caller: Caller, needsRole?: boolean) => void

/** Returns a function that warns once in the life of the API, at the first user without a list of roles. */
export function missingRolesHint(
  registry: Registry,
  warn: HostFunctions['warn'],
): MissingRolesHint {
  const hasRules = rolesNamed(registry).length > 0
  const userModel = registry.users?.model
  // `methods.roles` gives the roles of users in place of the member.
  let isDone = userModel?.methods.roles !== undefined
  return ({ user, roles }, needsRole = hasRules) => {
    if (isDone || !needsRole || roles.length > 0 || typeof user !== 'object' || user === null)
      return
    const given: unknown = Reflect.get(user, 'roles')
    if (given !== undefined && typeof given !== 'string') return
    isDone = true
    const similar = nearest('roles', Object.keys(user))
    const instead = similar === undefined ? '' : `, but "${similar}"`
    const found =
      given === undefined ? `has no member "roles"${instead}` : 'has a string as "roles"'
    const method = userModel === undefined ? '' : ` Or give ${userModel.name} a method "roles".`
    warn(
      `A user ${found}, so rules that require a role refuse its requests (403). Expected a list in the user object: roles: ['editor'], or roles: [] for a user without roles.${method}`,
    )
  }
}
