// Route: what the path of a request names. Types only.

import type { ResolvedRelation, Resource } from './registry/resource.ts'

/** The route of a path. */
export type Route =
  | { readonly kind: 'collection'; readonly resource: Resource }
  | { readonly kind: 'item'; readonly resource: Resource; readonly key: readonly string[] }
  | { readonly kind: 'restore'; readonly resource: Resource; readonly key: readonly string[] }
  | {
      readonly kind: 'related'
      readonly resource: Resource
      readonly key: readonly string[]
      readonly relation: ResolvedRelation
    }
