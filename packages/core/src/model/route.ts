// Route: what the path of a request names; `http/route-table.ts` makes it, and `http/endpoints` serve it. Types only.

import type { ResolvedRelation, Resource } from './registry/resource.ts'

/** The route of a path. `key`: the parts of a record's key, decoded; `query/plan/conditions/path-key.ts` converts them to values. */
export type Route =
  /** `/api/books` */
  | { readonly kind: 'collection'; readonly resource: Resource }
  /** `/api/books/1` */
  | { readonly kind: 'item'; readonly resource: Resource; readonly key: readonly string[] }
  /** `/api/books/1/restore` */
  | { readonly kind: 'restore'; readonly resource: Resource; readonly key: readonly string[] }
  /** `/api/books/1/author` */
  | {
      readonly kind: 'related'
      readonly resource: Resource
      readonly key: readonly string[]
      readonly relation: ResolvedRelation
    }
