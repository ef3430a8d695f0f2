// policyFor: types the hooks of a policy by their model; at run time it returns its argument unchanged.

import type { Kysely } from 'kysely'
import type { AnyModel } from '../../model/define-model.ts'
import type { AccessPolicy } from '../../model/settings/access/access-types.ts'
import type { KnownNames, PolicyFor } from '../../model/settings/access/policy-of-model.ts'
import type { ScopeConditions } from '../../model/settings/access/scope-types.ts'

/**
 * Makes a misspelt hook, or a misspelt column in a `scope` object, a compile error. `createApi` throws for both, however the policy
 * is declared.
 */
export type ExactPolicy<M extends AnyModel, P> = {
  readonly [K in Exclude<keyof P, keyof AccessPolicy>]: never
} & (P extends { readonly scope: infer S extends ScopeConditions }
  ? { readonly scope: KnownNames<M, keyof S> }
  : unknown)

/**
 * Types a policy by its model; a wrong column name does not compile.
 *
 * ```ts
 * const policy = policyFor(Book, db, {
 *   scope_query: (query, { user }) => user !== null && query.where('owner_id', '=', user.id),
 *   can_delete: (book, { user }) => book.owner_id === user.id,
 * })
 * ```
 */
export const policyFor = <M extends AnyModel, DB, P extends PolicyFor<M, DB>>(
  _model: M,
  _db: Kysely<DB>,
  policy: P & PolicyFor<M, DB> & ExactPolicy<M, P>,
): AccessPolicy => policy as AccessPolicy
