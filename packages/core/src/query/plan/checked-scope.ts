// CheckedScope: the scope of a policy as data, after its names were checked: `{ or: [{ owner_id: 7 }, { public: true }] }` as a tree.
// `access/policies/check-scope.ts` makes it, and `planned-scope.ts` plans it for a request. Types only.

import type { FilterOperator } from '../../model/query-words/operators.ts'

/**
 * Conditions whose names are checked. They store columns and relations by name, because callers can have registries with other
 * Column objects.
 */
export interface CheckedScope {
  readonly root: ScopeNode
  /** The values of its tests, by their `index`: constants, and functions of the request. */
  readonly values: readonly unknown[]
}

/** One condition of a scope: the test of a column, a combination, or conditions on related rows. */
export type ScopeNode =
  | {
      readonly kind: 'test'
      readonly column: string
      readonly operator: FilterOperator
      readonly index: number
      /** The path to the column in the scope, such as `.or[1].owner_id`, for errors. */
      readonly at: string
    }
  | { readonly kind: 'and' | 'or'; readonly all: readonly ScopeNode[] }
  | { readonly kind: 'not'; readonly one: ScopeNode }
  | { readonly kind: 'exists'; readonly relation: string; readonly where: ScopeNode }
