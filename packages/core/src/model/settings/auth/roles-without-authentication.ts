// Warns at start-up of role rules without authentication, under which every request gets 403.

import type { AnyModel } from '../../define-model.ts'
import type { ApiConfig } from '../config.ts'
import type { ResourceSettings } from '../settings.ts'

/** A published model with the settings that the warning depends on. */
interface ModelWithRoles {
  readonly name: string
  readonly model: AnyModel
  readonly settings: Pick<ResourceSettings, 'strategies' | 'roleMaps'>
}

/**
 * Returns a warning for each role map of models that no strategy protects, if nothing says that this is meant. An empty list of
 * strategies says so: the host sets the user of a request itself.
 */
export function rolesWithoutAuthentication(
  resources: readonly ModelWithRoles[],
  { API_AUTHENTICATE_METHOD: general }: Pick<ApiConfig, 'API_AUTHENTICATE_METHOD'>,
): readonly string[] {
  const unprotected = resources.filter(
    ({ model, settings }) =>
      settings.strategies.length === 0 &&
      general === undefined &&
      model.meta?.authenticate_method === undefined,
  )
  const maps = unprotected.flatMap(({ settings }) => settings.roleMaps)
  const places = new Set(
    maps.filter(({ map }) => Object.keys(map).length > 0).map((setting) => setting.at),
  )
  return [...places].map(
    (at) =>
      `${at} has rules, but no authentication is enabled, so the requests that they cover get 403 unless the host sets the user. Set API_AUTHENTICATE_METHOD, for example to ['jwt'], or to [] if the host does.`,
  )
}
