// policyFor: types the hooks of a policy by their model; at run time it returns its argument unchanged.

import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { AccessPolicy } from '../config/access-types.ts'
import type { HookArgs } from '../config/hook-types.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { DatabaseOf, RecordOf } from '../model/infer.ts'

type Awaitable<T> = T | Promise<T>
type Falsy = false | null | undefined | 0 | ''

/** The tables of the given Kysely instance if they include the model's; otherwise those of the model. */
type Tables<M extends AnyModel, DB> = M['table'] extends keyof DB ? DB : DatabaseOf<readonly [M]>

// biome-ignore lint/suspicious/noExplicitAny: joins change the tables, and any selection that has the columns will do
type Narrowed = SelectQueryBuilder<any, any, any>

type Query<M extends AnyModel, DB> = SelectQueryBuilder<
  Tables<M, DB>,
  M['table'] & keyof Tables<M, DB>,
  object
>

/** A policy typed by its model: records hold JSON values and hidden columns; `data` holds the fields being written. */
export interface PolicyFor<M extends AnyModel, DB> {
  scope_query?(query: Query<M, DB>, args: HookArgs): Awaitable<Narrowed | Falsy>
  can_read?(object: RecordOf<M>, args: HookArgs): Awaitable<unknown>
  can_create?(data: Partial<RecordOf<M>>, args: HookArgs): Awaitable<unknown>
  can_update?(object: RecordOf<M>, data: Partial<RecordOf<M>>, args: HookArgs): Awaitable<unknown>
  can_delete?(object: RecordOf<M>, args: HookArgs): Awaitable<unknown>
}

/** A misspelt hook is a compile error here, and a start-up error everywhere. */
type Exact<P> = { readonly [K in Exclude<keyof P, keyof AccessPolicy>]: never }

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
  policy: P & PolicyFor<M, DB> & Exact<P>,
): AccessPolicy => policy as AccessPolicy
