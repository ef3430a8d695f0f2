// Resolves the role maps and the policy of a model at start-up: those of its meta, otherwise those of config. In both, a role map takes precedence
// over lists of roles. What is replaced or ignored is kept, for warnings.

import type { ApiConfig } from '../config.ts'
import type { Meta } from '../meta.ts'
import type { PolicySetting, RoleMapSetting } from '../settings.ts'
import type { RoleRule } from './access-types.ts'

/** The role settings of one level: the model's meta, or config. `…At` says where each is written, for messages. */
interface Level {
  readonly map: RoleMapSetting['map'] | undefined
  readonly mapAt: string
  readonly required: readonly string[] | string | undefined
  readonly requiredAt: string
  readonly accepted: readonly string[] | string | undefined
  readonly acceptedAt: string
}

/**
 * Returns the role maps of a model: those of its meta if it sets any role, otherwise those of config.
 *
 * `roles_required: ['editor']` is the map `{ ALL: ['editor'] }`, `roles_accepted` the map `{ ALL: { roles, any_of: true } }`.
 */
export function resolveRoleMaps(
  modelName: string,
  meta: Meta,
  config: ApiConfig,
): readonly RoleMapSetting[] {
  return mapsOf(ofMeta(modelName, meta)) ?? globalRoleMaps(config)
}

/** Returns the role maps of config if those of the model's meta replace them, otherwise none. */
export function replacedRoleMaps(
  modelName: string,
  meta: Meta,
  config: ApiConfig,
): readonly RoleMapSetting[] {
  const inForce = resolveRoleMaps(modelName, meta, config)
  const general = globalRoleMaps(config)
  return general.some(({ at }) => inForce.some((map) => map.at === at)) ? [] : general
}

/** Returns the lists of roles that are ignored, because the role map of the same level takes precedence. */
export function ignoredRoleLists(
  modelName: string,
  meta: Meta,
  config: ApiConfig,
): readonly RoleMapSetting[] {
  const own = ofMeta(modelName, meta)
  const level = mapsOf(own) === undefined ? ofConfig(config) : own
  return level.map === undefined ? [] : listsOf(level)
}

/** The role maps of config. */
const globalRoleMaps = (config: ApiConfig): readonly RoleMapSetting[] =>
  mapsOf(ofConfig(config)) ?? []

const ofConfig = (config: ApiConfig): Level => ({
  map: config.API_ROLE_MAP,
  mapAt: 'config.API_ROLE_MAP',
  required: config.API_ROLES_REQUIRED,
  requiredAt: 'config.API_ROLES_REQUIRED',
  accepted: config.API_ROLES_ACCEPTED,
  acceptedAt: 'config.API_ROLES_ACCEPTED',
})

function ofMeta(modelName: string, meta: Meta): Level {
  const at = `models.${modelName}.meta`
  return {
    map: meta.api_role_map ?? meta.role_map,
    mapAt: `${at}.${meta.api_role_map === undefined ? 'role_map' : 'api_role_map'}`,
    required: meta.roles_required,
    requiredAt: `${at}.roles_required`,
    accepted: meta.roles_accepted,
    acceptedAt: `${at}.roles_accepted`,
  }
}

/** Returns the role maps of a level; undefined if it sets no role. */
function mapsOf(level: Level): readonly RoleMapSetting[] | undefined {
  if (level.map !== undefined) return [{ at: level.mapAt, map: level.map }]
  const lists = listsOf(level)
  return lists.length === 0 ? undefined : lists
}

/** Returns the lists of roles of a level as role maps. */
function listsOf(level: Level): readonly RoleMapSetting[] {
  const { required, accepted } = level
  const anyOf = (roles: readonly string[] | string): RoleRule => ({
    roles: [roles].flat(),
    any_of: true,
  })
  return [
    ...(required === undefined ? [] : [{ at: level.requiredAt, map: { ALL: [required].flat() } }]),
    ...(accepted === undefined ? [] : [{ at: level.acceptedAt, map: { ALL: anyOf(accepted) } }]),
  ]
}

/** Returns the policy of a model: that of its meta, otherwise that of config. */
export function resolvePolicy(
  modelName: string,
  meta: Meta,
  config: ApiConfig,
): PolicySetting | null {
  if (meta.access_policy !== undefined) {
    return { at: `models.${modelName}.meta.access_policy`, policy: meta.access_policy }
  }
  const policy = config.API_ACCESS_POLICY
  return policy === undefined ? null : { at: 'config.API_ACCESS_POLICY', policy }
}
