// The warnings about models that are valid but probably mistakes; `createApi` gives them to `onWarning`.

import { rolesWithoutAuthentication } from '../../settings/auth/roles-without-authentication.ts'
import type { ApiConfig } from '../../settings/config.ts'
import type { Registry } from '../resource.ts'
import { credentialWarnings } from '../secret-columns.ts'
import { keylessWarnings } from './keyless-warning.ts'

/** Returns the warnings about models; `declaredCount` is the number of models in the options of `createApi`. */
export const startUpWarnings = (
  registry: Registry,
  config: ApiConfig,
  declaredCount: number,
): readonly string[] => [
  ...rolesWithoutAuthentication(registry.resources, config),
  ...credentialWarnings(registry),
  ...keylessWarnings(registry),
  ...(registry.resources.length === 0 ? [nothingPublished(declaredCount)] : []),
]

/** Returns the warning about an API without endpoints. */
const nothingPublished = (declaredCount: number): string =>
  declaredCount === 0
    ? 'No model is published: createApi({ models }) lists none.'
    : 'No model is published: a model needs "meta", for example meta: {}, to get an endpoint.'
