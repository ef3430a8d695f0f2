// Key limits: to which of its user's roles an API key is limited (its scopes), and when it expires. They are part of the user object, so
// that they also apply where a host passes this object on: to `api.as`, to `api.handle`, to `explainAccess`.

import { namesIn, rolesIn } from './roles.ts'

/** What an API key may do less than its user. */
export interface KeyLimits {
  /** The roles that the user keeps; null: all. */
  readonly scopes: readonly string[] | null
  /** When the key expires, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null
}

/** The member of a limited user. A copy of the object (`{ ...user }`) has it too; JSON does not. */
const member: unique symbol = Symbol('limits of the API key')

/** Returns the limits of the key by which a user was authenticated; undefined if there was none. */
export function keyLimitsOf(user: unknown): KeyLimits | undefined {
  if (typeof user !== 'object' || user === null) return undefined
  return Reflect.get(user, member) as KeyLimits | undefined
}

/**
 * Returns the user with no other roles than the scopes. Policies and hooks see the fewer `roles`; `callerOf` limits what a method `roles`
 * of the user model returns.
 *
 * ```ts
 * limitedByKey({ id: 7, roles: ['admin', 'editor'] }, { scopes: ['editor'], expiresAt: null }) // { id: 7, roles: ['editor'] }
 * ```
 */
export function limitedByKey<User extends object>(user: User, limits: KeyLimits): User {
  const limited: User = { ...user, [member]: limits }
  const { scopes } = limits
  if (scopes !== null && 'roles' in user)
    Reflect.set(limited, 'roles', rolesWithinScopes(user.roles, scopes))
  return limited
}

/** Returns the roles that remain for a user: all, or those that the scopes of the API key name. */
export function withinKeyScopes(user: unknown, roles: readonly string[]): readonly string[] {
  const scopes = keyLimitsOf(user)?.scopes ?? null
  return scopes === null ? roles : roles.filter((role) => scopes.includes(role))
}

/** Returns the roles that a list of names or of named records has in common with the scopes; another value is no list of roles. */
function rolesWithinScopes(roles: unknown, scopes: readonly string[]): readonly unknown[] {
  if (!Array.isArray(roles)) return []
  const names = rolesIn(roles)
  const own = names.length > 0 ? names : namesIn(roles)
  return roles.filter((_, i) => scopes.includes(own[i] ?? ''))
}
