// Start-up warnings about role maps (API_ROLE_MAP, `role_map` in meta). A model's map replaces that of the API as a whole, and a map takes
// precedence over lists of roles beside it. These functions find the actions that therefore need no role, or are decided by another rule.

import type { Resource } from '../../model/registry/resource.ts'
import type { RoleMapSetting } from '../../model/settings/settings.ts'
import { type Action, methodOf } from '../action.ts'
import { decidingRules } from './roles.ts'

const actions: readonly Action[] = ['GET_MANY', 'GET_ONE', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Warns of actions that need a role under the API's map and none under the model's. An empty map is taken as intended. */
export function warnOfLiftedRoles(resource: Resource, warn: (message: string) => void): void {
  const { replacedRoleMaps, roleMaps } = resource.settings
  if (!roleMaps.some(({ map }) => Object.keys(map).length > 0)) return
  const lifted = liftedActions(resource, replacedRoleMaps)
  if (lifted.length === 0) return
  warn(
    `${roleMaps[0]?.at} replaces ${places(replacedRoleMaps)} and has no rule for ${lifted.join(', ')}, which therefore need no role. Add ALL to it to set a rule for them; ALL: true requires authentication only.`,
  )
}

const additional = ['UPSERT', 'RESTORE'] as const

const isServed = {
  UPSERT: ({ allowUpsert, methods }: Resource['settings']) =>
    allowUpsert && methods.has('POST') && methods.has('PATCH'),
  RESTORE: ({ softDelete, methods }: Resource['settings']) =>
    softDelete !== null && methods.has('PATCH'),
}

/** Warns of rules for UPSERT and RESTORE in the API's map that the model's map does not repeat, so that other rules decide. */
export function warnOfOmittedKeys({ settings }: Resource, warn: (message: string) => void): void {
  const { replacedRoleMaps, roleMaps } = settings
  for (const key of additional) {
    if (!isServed[key](settings)) continue
    const replaced = replacedRoleMaps.find(({ map }) => map[key] !== undefined)
    const [own] = roleMaps
    if (replaced === undefined || own === undefined || Object.keys(own.map).length === 0) continue
    if (roleMaps.some(({ map }) => map[key] !== undefined)) continue
    const decides = key === 'UPSERT' ? 'POST' : 'PATCH'
    warn(
      `${own.at} replaces ${replaced.at} and does not repeat its rule for ${key}, so the rule for ${decides} decides. Add ${key} to it; a rule equal to that for ${decides} changes nothing and ends this warning.`,
    )
  }
}

/**
 * Warns of actions without a rule in a role map that takes precedence over the lists of roles beside it. A map of the configuration
 * applies to many resources, but there is one warning for each map.
 */
export function warnOfIgnoredRoles(
  resources: readonly Resource[],
  warn: (message: string) => void,
): void {
  const byMap = new Map<string, { lists: readonly RoleMapSetting[]; lifted: Set<Action> }>()
  for (const resource of resources) {
    const { ignoredRoleLists: lists, roleMaps } = resource.settings
    const lifted = liftedActions(resource, lists)
    const [map] = roleMaps
    if (lifted.length === 0 || map === undefined) continue
    const known = byMap.get(map.at)
    byMap.set(map.at, { lists, lifted: new Set([...(known?.lifted ?? []), ...lifted]) })
  }
  for (const [at, { lists, lifted }] of byMap) {
    const named = actions.filter((action) => lifted.has(action)).join(', ')
    warn(
      `${at} takes precedence over ${places(lists)} and has no rule for ${named}, which therefore need no role. Add ALL to it to set a rule for them${remedy(lists)}.`,
    )
  }
}

/** Returns the actions that need a role under `others`, the settings without effect, and none under the maps of the resource. */
const liftedActions = (
  { settings: { methods, roleMaps } }: Resource,
  others: readonly RoleMapSetting[],
): readonly Action[] =>
  actions.filter(
    (action) =>
      methods.has(methodOf(action)) &&
      decidingRules(roleMaps, action).length === 0 &&
      decidingRules(others, action).length > 0,
  )

const places = (maps: readonly RoleMapSetting[]): string => maps.map(({ at }) => at).join(' and ')

/** Returns the rule with the effect of the ignored list: `, as ALL: ["editor"]`; empty if there are several lists. */
const remedy = (lists: readonly RoleMapSetting[]): string =>
  lists.length === 1 ? `, as ALL: ${JSON.stringify(lists[0]?.map.ALL)}` : ''
