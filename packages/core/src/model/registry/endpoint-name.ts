// Endpoint names: the paths below the prefix that serve a model, and which of them URLs in responses use.

import { toCase } from '../../lib/naming/case.ts'
import { pluralIn } from '../../lib/naming/plural.ts'
import type { Meta } from '../settings/meta.ts'
import type { EndpointCase } from '../settings/settings.ts'

/** The names of one resource in URLs. */
export interface EndpointNames {
  /** Plural of the model's name: `order-items`. */
  readonly endpoint: string
  /** Every served path: first the one used in responses, last the singular alias; empty if the host serves them all itself. */
  readonly paths: readonly string[]
}

/**
 * Returns the endpoint names of a model.
 *
 * ```ts
 * endpointNames('OrderItem', {}, 'kebab').paths // ['order-items', 'order-item']
 * endpointNames('OrderItem', { endpoint: 'shop/items' }, 'kebab').paths // ['order-items', 'shop/items', 'order-item']
 * ```
 */
export function endpointNames(
  modelName: string,
  meta: Meta,
  letterCase: EndpointCase,
): EndpointNames {
  const endpoint = pluralIn(modelName, letterCase)
  const own = [meta.endpoint ?? []].flat().map((path) => path.replace(/^\//, ''))
  // The singular alias comes from the model's name as declared; a singular computed from the plural could differ.
  const paths =
    meta.register_canonical_routes === false
      ? new Set(own)
      : new Set([endpoint, ...own, toCase(modelName, letterCase)])
  return { endpoint, paths: [...paths] }
}
