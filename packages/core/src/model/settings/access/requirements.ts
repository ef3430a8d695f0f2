// Resolves at start-up which strategies protect a model and which kinds of request need authentication: by its meta, otherwise by config.

import type { ApiConfig } from '../config.ts'
import type { Meta } from '../meta.ts'
import type { Problems } from '../setting-problems.ts'
import type { AccessKey, AuthRequirements, StrategyName } from './access-types.ts'

/** The requirements of meta or config, as booleans. If a key is absent, the next more general key applies. */
export type Requirements = { readonly [K in AccessKey]?: boolean }

/** Converts `true`, `1`, `yes` and `on` to true, and `false`, `0`, `no` and `off` to false. */
export const isSwitchedOn = (value: boolean | string): boolean =>
  /^(?:true|1|yes|on)$/.test(String(value))

/** Requirements with strings converted to booleans. */
function readRequirements(configured: AuthRequirements): Requirements {
  return Object.fromEntries(
    Object.entries(configured).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, isSwitchedOn(value)]],
    ),
  )
}

/** Resolves the strategies and requirements of one model. */
export function resolveRequirements(
  modelName: string,
  meta: Meta,
  config: ApiConfig,
  problems: Problems,
): { readonly strategies: readonly StrategyName[]; readonly requirements: Requirements } {
  const strategies = meta.authenticate_method ?? config.API_AUTHENTICATE_METHOD ?? []
  const own = meta.auth_requirements
  const requirements = readRequirements(own ?? config.API_AUTH_REQUIREMENTS ?? {})
  if (strategies.length === 0 && Object.values(requirements).includes(true)) {
    problems.add(
      own === undefined
        ? 'config.API_AUTH_REQUIREMENTS'
        : `models.${modelName}.meta.auth_requirements`,
      'requires authentication, but no strategy is enabled: set API_AUTHENTICATE_METHOD.',
    )
  }
  return { strategies, requirements }
}
