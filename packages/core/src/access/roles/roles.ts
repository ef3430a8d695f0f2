// Role rules: the caller that they are checked against, which rules apply to an action, whether a caller satisfies them, and which roles a
// rule or a user has; pure.

import type { RoleKey, RoleRule, StrategyName } from '../../model/settings/access/access-types.ts'
import type { RoleMapSetting } from '../../model/settings/settings.ts'
import { decidingKey, type Permission } from '../action.ts'

/** The sender of a request, as role rules see it. */
export interface Caller {
  /** The authenticated user, or null. */
  readonly user: unknown
  /** Whether a strategy accepted the request; a custom one may do so without a user. */
  readonly authenticated: boolean
  /** The strategy that accepted it; absent if the host application set the user itself. */
  readonly strategy?: StrategyName
  readonly roles: readonly string[]
  /** Set for code of the host that acts for itself: role rules and rights of columns allow it everything. */
  readonly isSystem?: true
}

/** A caller without credentials. */
export const anonymous: Caller = { user: null, authenticated: false, roles: [] }

/** The caller of `api.as('system')` and `args.as.system`. Its requests run without policies. */
export const system: Caller = { user: null, authenticated: true, roles: [], isSystem: true }

/** The rule that applies to a permission, and where it is configured. */
export interface DecidingRule {
  /** `config.API_ROLE_MAP`, `models.Book.meta.role_map`. */
  readonly at: string
  readonly key: RoleKey
  readonly rule: RoleRule
}

/**
 * Returns the rules that apply to a permission; all must be satisfied. An empty list means that no role is needed.
 *
 * ```ts
 * decidingRules([{ at: 'config.API_ROLE_MAP', map: { GET: 'viewer', ALL: 'admin' } }], 'GET_ONE')
 * // [{ at: 'config.API_ROLE_MAP', key: 'GET', rule: 'viewer' }]
 * ```
 */
export function decidingRules(
  maps: readonly RoleMapSetting[],
  permission: Permission,
): readonly DecidingRule[] {
  return maps.flatMap(({ at, map }) => {
    const key = decidingKey(map, permission)
    const rule = key && map[key]
    return rule === undefined || key === undefined ? [] : [{ at, key, rule }]
  })
}

/**
 * Whether a caller satisfies a rule: a string requires that role, a list requires all its roles, `any_of` one of them;
 * `true` requires authentication only.
 *
 * ```ts
 * satisfies({ roles: ['admin', 'editor'], any_of: true }, { user, authenticated: true, roles: ['editor'] }) // true
 * ```
 */
export function satisfies(rule: RoleRule, caller: Caller): boolean {
  if (!caller.authenticated) return false
  if (caller.isSystem || rule === true) return true
  if (typeof rule === 'string') return caller.roles.includes(rule)
  const roles = isList(rule) ? rule : rule.roles
  // An empty rule is ambiguous (everyone or no one); it grants nothing.
  if (roles.length === 0) return false
  return !isList(rule) && rule.any_of === true
    ? roles.some((role) => caller.roles.includes(role))
    : roles.every((role) => caller.roles.includes(role))
}

const isList = (rule: Exclude<RoleRule, string | true>): rule is readonly string[] =>
  Array.isArray(rule)

/** Whether the caller satisfies every rule that applies. */
export const allowedByRoles = (
  maps: readonly RoleMapSetting[],
  permission: Permission,
  caller: Caller,
): boolean => decidingRules(maps, permission).every(({ rule }) => satisfies(rule, caller))

/** Returns the roles in a list of strings; any other value has none. */
export function rolesIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.every((role) => typeof role === 'string') ? value : []
}

/** Returns the roles in a list of related records, each with a `name`. */
export function namesIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return rolesIn(value.map((role: unknown) => (isNamed(role) ? role.name : undefined)))
}

const isNamed = (role: unknown): role is { readonly name: unknown } =>
  typeof role === 'object' && role !== null && 'name' in role

/** Returns the roles a rule names. */
export const rolesOf = (rule: RoleRule): readonly string[] => {
  if (rule === true) return []
  if (typeof rule === 'string') return [rule]
  return isList(rule) ? rule : rule.roles
}

/** Formats a rule for `explainAccess`: `editor`, `all of admin, auditor`, `any of …`, `authentication`. */
export function ruleText(rule: RoleRule): string {
  if (rule === true) return 'authentication'
  if (typeof rule === 'string') return rule
  const roles = rolesOf(rule)
  return roles.length === 1
    ? (roles[0] ?? '')
    : `${isAnyOf(rule) ? 'any' : 'all'} of ${roles.join(', ')}`
}

/** Whether one of the roles is enough. */
const isAnyOf = (rule: RoleRule): boolean =>
  typeof rule === 'object' && !isList(rule) && rule.any_of === true
