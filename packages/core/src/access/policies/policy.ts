// Policies: at start-up, makes the policy object of each resource (`scope`, `can_read`, `can_update` …) from API_ACCESS_POLICY or
// `access_policy` in meta. A class is constructed once, even if several models share it; a function is called for each model.

import type { AnyModel } from '../../model/define-model.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { AccessPolicy, AccessPolicyOption } from '../../model/settings/access/access-types.ts'
import {
  constructed,
  hasHooks,
  isPolicyFunction,
  policyFrom,
  policyHooks,
} from '../../model/settings/access/check-policy.ts'
import type { Problems } from '../../model/settings/setting-problems.ts'
import type { PolicySetting } from '../../model/settings/settings.ts'
import type { CheckedScope } from '../../query/plan/checked-scope.ts'
import type { Action } from '../action.ts'
import {
  warnOfIgnoredRoles,
  warnOfLiftedRoles,
  warnOfOmittedKeys,
} from '../roles/role-map-warning.ts'
import { checkScope, UnknownScopeName, UnpublishedScopeTarget } from './check-scope.ts'

/** The policies by resource. A model with its own policy does not get that of the API, even if its own has no hooks. */
export interface Policies {
  get(resource: Resource): AccessPolicy | undefined
  has(resource: Resource): boolean
  /** Whether the policy of a resource has a hook, other than the scope, that an action on one record may call. */
  hasHookFor(resource: Resource, action: Action): boolean
  /** Whether the policy of a resource restricts which rows a caller sees. */
  narrows(resource: Resource): boolean
  /** Returns the checked conditions of `scope`; undefined if it is a function, which is checked for each request, or if there is none. */
  scopeOf(resource: Resource): CheckedScope | undefined
  /** The number of resources with a policy. */
  readonly size: number
}

/** The policies for requests of `api.as('system')` and `args.as.system`: none. */
export const noPolicies: Policies = {
  get: () => undefined,
  has: () => false,
  hasHookFor: () => false,
  narrows: () => false,
  scopeOf: () => undefined,
  size: 0,
}

/**
 * Builds the policies of a registry. Errors are added to `problems`; probable mistakes are reported with `warn`.
 *
 * ```ts
 * buildPolicies(registry, problems, console.warn).get(books)?.scope_query
 * ```
 */
export function buildPolicies(
  registry: Registry,
  problems: Problems,
  warn: (message: string) => void,
): Policies {
  const made = new Map<unknown, AccessPolicy | undefined>()
  const policyOf = ({ model }: Resource, { policy, at }: PolicySetting) => {
    // A function is called for each model, a class is constructed once for all.
    const key = isPolicyFunction(policy) ? model : policy
    if (!made.has(key)) made.set(key, build(policy, model, at, problems))
    return made.get(key)
  }
  // Keyed by model, because a caller with fewer rights has its own Resource object (`model/registry/caller-registry.ts`).
  const policies = new Map<AnyModel, AccessPolicy>()
  const scopes = new Map<AnyModel, CheckedScope>()
  warnOfIgnoredRoles(registry.resources, warn)
  for (const resource of registry.resources) {
    warnOfLiftedRoles(resource, warn)
    warnOfOmittedKeys(resource, warn)
    const setting = resource.settings.policy
    if (setting === null) continue
    const policy = policyOf(resource, setting)
    if (policy === undefined || !policyHooks.some((hook) => policy[hook] !== undefined)) continue
    policies.set(resource.model, policy)
    const scope = checkedScope({ resource, registry, at: setting.at, problems }, policy)
    if (scope !== undefined) scopes.set(resource.model, scope)
    if (policy.can_read !== undefined && !narrowsRows(policy)) {
      warn(
        `models.${resource.name}: the policy at ${setting.at} has can_read but neither scope nor scope_query. Lists, counts, filters and aggregates are narrowed by those alone, so rows that can_read refuses appear there.`,
      )
    }
  }
  return {
    get: ({ model }) => policies.get(model),
    has: ({ model }) => policies.has(model),
    hasHookFor: ({ model }, action) => {
      const policy = policies.get(model)
      return hooksOf(action).some((hook) => policy?.[hook] !== undefined)
    },
    narrows: ({ model }) => {
      const policy = policies.get(model)
      return policy !== undefined && narrowsRows(policy)
    },
    scopeOf: ({ model }) => scopes.get(model),
    size: policies.size,
  }
}

/** Returns the hooks that an action on one record may call in addition to the scope: can_read, and the hook of the action. */
function hooksOf(action: Action): readonly (keyof AccessPolicy)[] {
  switch (action) {
    case 'POST':
      return ['can_read', 'can_create']
    case 'PATCH':
    case 'PUT':
      return ['can_read', 'can_update']
    case 'DELETE':
      return ['can_read', 'can_delete']
    default:
      // Only writes of one record ask; another action may call any hook.
      return ['can_read', 'can_create', 'can_update', 'can_delete']
  }
}

const narrowsRows = ({ scope, scope_query }: AccessPolicy): boolean =>
  scope !== undefined || scope_query !== undefined

/** The scope of a policy that is checked. */
interface ScopeCheck {
  readonly resource: Resource
  readonly registry: Registry
  /** Where the policy is configured. */
  readonly at: string
  readonly problems: Problems
}

/** Checks a scope that is an object, and adds its mistake to `problems`; a scope that is a function is checked when it is called. */
function checkedScope(
  { resource, registry, at, problems }: ScopeCheck,
  { scope }: AccessPolicy,
): CheckedScope | undefined {
  if (scope === undefined || typeof scope === 'function') return undefined
  // A condition on a column that is declared wrong, `models.Book.columns.title`, would be reported as another mistake.
  if (problems.list.some(({ path }) => /^models\.[^.]+\.(?:columns|computed)/.test(path))) {
    return undefined
  }
  try {
    return checkScope(resource, scope)
  } catch (error) {
    // The relation to a published or unknown model is unresolved because of a problem that is already reported.
    if (error instanceof UnpublishedScopeTarget && !registry.unpublished.has(error.target)) {
      return undefined
    }
    const message = error instanceof Error ? error.message : String(error)
    problems.add(at, `${resource.name}: ${message}${ownPolicyHint(at, error)}`)
    return undefined
  }
}

/** Returns what to do about a model without the columns that the policy of all models tests. */
const ownPolicyHint = (at: string, error: unknown): string =>
  at.startsWith('config.') && error instanceof UnknownScopeName
    ? ' A model with other columns has a policy of its own: access_policy in its meta.'
    : ''

/** Makes the policy object of a setting: constructs a class, calls a function, or takes an object. Adds a failure to `problems`. */
function build(
  option: AccessPolicyOption,
  model: AnyModel,
  at: string,
  problems: Problems,
): AccessPolicy | undefined {
  try {
    const policy = policyFrom(option, model)
    const problem = typeof option === 'function' ? constructed(policy) : undefined
    if (problem === undefined) return policy
    problems.add(at, problem)
    // The scope is still checked, to report all mistakes of the policy together.
    return typeof policy === 'object' && hasHooks(policy) ? policy : undefined
  } catch (error) {
    problems.add(at, `could not be made: ${error instanceof Error ? error.message : error}`)
  }
  return undefined
}
