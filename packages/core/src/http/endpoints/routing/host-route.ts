// Authenticates requests to the host application's own routes; `jwtAuthentication` and `requireRoles` of the adapters use it.

import { callerOf } from '../../../access/caller.ts'
import { satisfies } from '../../../access/roles/roles.ts'
import { forbidden } from '../../../errors.ts'
import type { ApiRequest } from '../../../model/request.ts'
import type { RoleRule, StrategyName } from '../../../model/settings/access/access-types.ts'
import type { HookUser } from '../../../model/settings/access/hook-types.ts'
import type { Runtime } from '../../call/call.ts'
import { admit } from './admit.ts'

/** What a host route requires of its caller. */
export interface HostRule {
  /** Required roles, as in API_ROLE_MAP; other callers and anonymous ones get 403. */
  readonly roles?: RoleRule
  /** Accepted strategies. Default: all that are enabled. */
  readonly strategies?: readonly StrategyName[]
  /** Verifies access tokens with this secret instead of the configured key. */
  readonly secret?: string
  /** false: anonymous requests are allowed; invalid credentials are still refused. */
  readonly auth?: boolean
}

/**
 * Authenticates a request to a host route. Returns its user; null if the request is anonymous, or if its credential names no user (a custom
 * strategy returned `true`). Rejects with 401, 403 or 429.
 */
export async function authenticateHost(
  runtime: Runtime,
  request: ApiRequest,
  rule: HostRule = {},
): Promise<HookUser | null> {
  const enabled = runtime.settings.auth.strategies
  if (enabled.length === 0) throw new Error('authenticate: no strategy is enabled.')
  const { identity } = await admit(runtime.signIn, request, {
    route: 'host',
    // Routes of the host have no rate limit here, but guesses of passwords count (`guardOf`).
    windows: [],
    strategies: enabled.filter((name) => rule.strategies?.includes(name) ?? true),
    required: rule.auth ?? rule.roles === undefined,
    ...(rule.secret === undefined ? {} : { secret: rule.secret }),
  })
  if (rule.roles !== undefined) {
    // `true`: authenticated, without a user (see `callerOf`).
    const user = identity === null ? null : (identity.user ?? true)
    const caller = await callerOf(runtime.host.callHook, user, runtime.registry.users?.model)
    // The rule `true` asks for authentication only, so no role can be missing.
    runtime.access.hintMissingRoles(caller, rule.roles !== true)
    if (!satisfies(rule.roles, caller)) throw forbidden()
  }
  return identity?.user ?? null
}
