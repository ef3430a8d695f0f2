// The caller: the authenticated user with the roles that rules are checked against, looked up once per request; and which values the host can
// give as a user, with the `Vary` header of such requests.

import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { CallHook } from '../model/hooks/call-hook.ts'
import type { StrategyName } from '../model/settings/access/access-types.ts'
import { withinKeyScopes } from './roles/key-limits.ts'
import { anonymous, type Caller, namesIn, rolesIn } from './roles/roles.ts'

/** Whether a value names a user, as the host gives it or a strategy returns it: a falsy value is nobody, `true` a user without a record. */
export const isUser = (user: unknown): user is NonNullable<unknown> => Boolean(user)

/**
 * Returns the `Vary` header of responses to a user whom the host gives. Only the host knows where it reads their credentials, so it names
 * the usual places.
 */
export const hostVary = (user: unknown): { readonly vary?: string } =>
  isUser(user) ? { vary: 'Authorization, Cookie' } : {}

/**
 * Looks up the roles of a user: the result of `methods.roles(user)` if the user model has that method, otherwise the user's
 * `roles`. Roles are a list of strings, or of related records with a `name` each; any other value means no roles. If the user was
 * authenticated by an API key with scopes, only the roles that the scopes name remain. `strategy`: which one has accepted the user; absent if
 * the host set it.
 *
 * ```ts
 * await callerOf(callHook, { id: 7, roles: ['editor'] }, undefined) // { user, authenticated: true, roles: ['editor'] }
 * ```
 */
export function callerOf(
  callHook: CallHook,
  user: unknown,
  userModel: AnyModel | undefined,
  strategy?: StrategyName,
): MaybePromise<Caller> {
  if (!isUser(user)) return anonymous
  const known = { authenticated: true, ...(strategy === undefined ? {} : { strategy }) }
  // A custom strategy that returns `true` authenticates the request without naming a user.
  if (user === true) return { ...known, user: null, roles: [] }
  const method = userModel?.methods.roles
  if (method !== undefined) {
    const given = callHook(`method roles of ${userModel?.name}`, () => method(user))
    return andThen(given, (roles) => ({
      ...known,
      user,
      roles: withinKeyScopes(user, rolesIn(roles)),
    }))
  }
  const own = typeof user === 'object' && 'roles' in user ? user.roles : undefined
  const roles = rolesIn(own)
  return { ...known, user, roles: withinKeyScopes(user, roles.length > 0 ? roles : namesIn(own)) }
}
