// Chooses the cache groups of a response: the resources that a read depends on, or that a write has changed (RFC 9875,
// API_CACHE_GROUPS; docs/guide/deployment.md).

import { hasDump } from '../../../access/hooks/read-hooks.ts'
import { hasCallback } from '../../../access/hooks/write-hooks.ts'
import { asksFunctions } from '../../../model/registry/caller-registry.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import { allSourcesOf } from '../../../query/plan/relations/sources.ts'
import {
  everyRead,
  groupOf,
  groupsField,
  groupsIn,
  mostGroups,
  unnamedDependencies,
} from '../../cache-group-syntax.ts'
import type { Call } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { isRead } from '../reads/read-source.ts'

/** Adds the header with the groups of a read, or with the groups that a write has changed. */
export function withCacheGroups(call: Call, route: Route, result: Result): Result {
  const [name, groups] = isRead(call.method)
    ? (['cache-groups', groupsOfRead(call, route, result)] as const)
    : (['cache-group-invalidation', changedGroups(call, route, result)] as const)
  return { ...result, headers: { ...result.headers, [name]: groupsField(groups) } }
}

/** Returns the groups of the resources that a read depends on, except resources that its caller may not list. */
function groupsOfRead(call: Call, { resource }: Route, { plan }: Result): ReadonlySet<string> {
  const groups = new Set([everyRead, groupOf(resource)])
  const all = new Set([resource])
  for (const source of plan === undefined ? [] : allSourcesOf(plan)) all.add(source.resource)
  let isComplete = plan !== undefined && !hasReadHooks(call, plan)
  for (const one of all) {
    if (one !== resource && !call.reach(one)) isComplete = false
    else groups.add(groupOf(one))
    if (dependsOnOthers(call, one)) isComplete = false
  }
  if (isComplete && groups.size <= mostGroups) return groups
  groups.add(unnamedDependencies)
  return groups.size <= mostGroups ? groups : new Set([everyRead, unnamedDependencies])
}

/** Whether functions of the host shape the response; they may read any table. */
function hasReadHooks({ hooks }: Call, { rows, embeds }: NonNullable<Result['plan']>): boolean {
  const own = hooks.filter ?? hooks.dump ?? hooks.return ?? hooks.final
  return own !== undefined || hasDump(rows.from.resource, embeds)
}

/**
 * Whether rows of a resource may depend on other tables: by its policy, by functions that decide column rights, by computed
 * columns that the caller may read, or because it is a view.
 */
const dependsOnOthers = ({ runtime }: Call, resource: Resource): boolean =>
  runtime.policies.has(resource) ||
  resource.model.readOnly === true ||
  asksFunctions(resource) ||
  [...resource.columns.values()].some(({ computed }) => computed !== undefined)

/**
 * Returns the groups of the resources that a write may have changed. They depend only on the request, so they do not reveal stored
 * data.
 */
function changedGroups(call: Call, { resource }: Route, { headers }: Result): ReadonlySet<string> {
  const changed = new Set([resource, ...(call.changed ?? [])])
  const groups = new Set([unnamedDependencies, groupOf(resource)])
  let isKnown = headers?.['idempotency-replayed'] === undefined
  for (const one of changed) {
    if (call.reach(one)) groups.add(groupOf(one))
    // Callbacks may write to other tables.
    if (changes.some((change) => hasCallback(one, call.method, change))) isKnown = false
  }
  return isKnown && groups.size <= mostGroups ? groups : new Set([everyRead])
}

const changes = ['add', 'update', 'remove'] as const

/** Removes these headers from the result of an operation in a batch; the response of the whole batch has them. */
export function withoutCacheGroups(headers: Readonly<Record<string, string>>): {
  readonly headers: Readonly<Record<string, string>>
  readonly changed: readonly string[]
} {
  if (!('cache-groups' in headers || 'cache-group-invalidation' in headers)) {
    return { headers, changed: [] }
  }
  const { 'cache-groups': _, 'cache-group-invalidation': changed = '', ...others } = headers
  return { headers: others, changed: groupsIn(changed) }
}

/** Returns the groups that a repeated operation invalidates again, because the cache may have missed the first response. */
export const changedByReplay = ({
  method,
  runtime,
}: Pick<Call, 'method' | 'runtime'>): readonly string[] =>
  runtime.settings.cacheGroups && !isRead(method) ? [everyRead] : []

/** Returns the header for the response of a batch that has changed these groups. */
export function batchInvalidation(groups: Iterable<string>): Readonly<Record<string, string>> {
  const all = new Set(groups)
  if (all.size === 0) return {}
  const whole = all.has(everyRead) || all.size > mostGroups
  return { 'cache-group-invalidation': groupsField(whole ? [everyRead] : all) }
}
