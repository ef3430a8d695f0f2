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
  /** Verifies access tokens with this secret instead of the configured key (specification: JWT settings). */
  readonly secret?: string
  /** false: anonymous requests are allowed; invalid credentials are still refused. */
  readonly auth?: boolean
}

/** Authenticates a request to a host route; returns its user, null if anonymous. Rejects with 401, 403 or 429. */
export async function authenticateHost(
  runtime: Runtime,
  request: ApiRequest,
  rule: HostRule = {},
): Promise<HookUser | null> {
  const enabled = runtime.settings.auth.strategies
  if (enabled.length === 0) throw new Error('authenticate: no strategy is enabled.')
  const { identity } = await admit(runtime, request, {
    route: 'host',
    windows: [],
    strategies: enabled.filter((name) => rule.strategies?.includes(name) ?? true),
    required: rule.auth ?? rule.roles === undefined,
    ...(rule.secret === undefined ? {} : { secret: rule.secret }),
  })
  if (rule.roles !== undefined) {
    const user = identity === null ? null : (identity.user ?? true)
    const caller = await callerOf(runtime.callHook, user, runtime.registry.users?.model)
    runtime.hintMissingRoles(caller, rule.roles !== true)
    if (!satisfies(rule.roles, caller)) throw forbidden()
  }
  return identity?.user ?? null
}
