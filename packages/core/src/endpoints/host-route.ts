// Authentication of host routes: what `jwtAuthentication` and `requireRoles` of the adapters are made of.

import { callerOf } from '../access/caller.ts'
import { satisfies } from '../access/roles.ts'
import type { Runtime } from '../call.ts'
import type { RoleRule, StrategyName } from '../config/access-types.ts'
import type { HookUser } from '../config/hook-types.ts'
import { forbidden } from '../errors.ts'
import type { ApiRequest } from '../http/request.ts'
import { admit } from './admit.ts'

/** What a host route asks of its caller. */
export interface HostRule {
  /** Roles as in API_ROLE_MAP; who lacks them, or is nobody, gets 403. */
  readonly roles?: RoleRule
  /** The strategies that would do. Default: all that are enabled. */
  readonly strategies?: readonly StrategyName[]
  /** Verifies access tokens instead of the configured key (specification: JWT settings). */
  readonly secret?: string
  /** false: the route is open to everybody; a wrong credential is refused all the same. */
  readonly auth?: boolean
}

/** The authenticated user of a request to a host route; null for nobody. Rejects with 401, 403 or 429. */
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
    if (!satisfies(rule.roles, caller)) throw forbidden()
  }
  return identity?.user ?? null
}
