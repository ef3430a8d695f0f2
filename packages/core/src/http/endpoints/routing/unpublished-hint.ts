// unpublishedHint: warns the host, not the client, that a model without meta was requested, which is 404: `meta` may have been forgotten.

import type { HostFunctions } from '../../../access/hooks/host-functions.ts'
import type { Registry } from '../../../model/registry/resource.ts'

/** Receives the path of a request that no endpoint answers. */
export type UnpublishedHint = (path: string) => void

/**
 * Returns a function that warns once for each model without meta whose endpoint below `prefix` is requested. Clients do not learn that the
 * model exists.
 */
export function unpublishedHint(
  { unpublished }: Pick<Registry, 'unpublished'>,
  prefix: string,
  warn: HostFunctions['warn'],
): UnpublishedHint {
  const warned = new Set<string>()
  return (path) => {
    if (warned.size === unpublished.size || !path.startsWith(`${prefix}/`)) return
    const [segment = ''] = path.slice(prefix.length + 1).split('/', 1)
    for (const [model, endpoints] of unpublished) {
      if (!endpoints.includes(segment) || warned.has(model)) continue
      warned.add(model)
      warn(
        `${prefix}/${segment} was requested and is 404, because the model ${model} has no meta. If it is meant to be published, add meta: {} to it.`,
      )
    }
  }
}
