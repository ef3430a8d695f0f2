// Turns configured policies into objects with hooks; a class is constructed once, even if several models share it.

import type { AccessPolicy } from '../config/access-types.ts'
import { constructed, policyHooks } from '../config/check-policy.ts'
import type { Problems } from '../config/problems.ts'
import type { Registry, Resource } from '../registry/resource.ts'
import { warnOfLiftedRoles } from './role-map-warning.ts'

/** The policy of each resource that has one. A model's policy without hooks replaces the API's policy by none. */
export type Policies = ReadonlyMap<Resource, AccessPolicy>

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
  const policies = new Map<Resource, AccessPolicy>()
  for (const resource of registry.resources) {
    warnOfLiftedRoles(resource, warn)
    const setting = resource.settings.policy
    if (setting === null) continue
    if (!made.has(setting.policy)) {
      made.set(setting.policy, construct(setting.policy, setting.at, problems))
    }
    const policy = made.get(setting.policy)
    if (policy === undefined || !policyHooks.some((hook) => policy[hook] !== undefined)) continue
    policies.set(resource, policy)
    if (policy.can_read !== undefined && policy.scope_query === undefined) {
      warn(
        `models.${resource.name}: the policy at ${setting.at} has can_read but no scope_query. Lists, counts, filters and aggregates are narrowed by scope_query alone, so rows that can_read refuses appear there.`,
      )
    }
  }
  return policies
}

function construct(
  option: NonNullable<Resource['settings']['policy']>['policy'],
  at: string,
  problems: Problems,
): AccessPolicy | undefined {
  if (typeof option !== 'function') return option
  try {
    const instance = new option()
    const problem = constructed(instance)
    if (problem === undefined) return instance
    problems.add(at, problem)
  } catch (error) {
    problems.add(at, `could not be constructed: ${error instanceof Error ? error.message : error}`)
  }
  return undefined
}
