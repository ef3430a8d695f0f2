// modelsFor: defineModel and its companions with the type of the application's users; at run time they are the same functions.

import type { Kysely } from 'kysely'
import type { DeclaredAggregates, NoAggregates } from '../../model/aggregates/declared-aggregate.ts'
import type { Column } from '../../model/column.ts'
import {
  type AnyModel,
  type BaseModel,
  type Columns,
  type ComputedShape,
  defineBase,
  defineModel,
  type Exact,
  type Model,
  type ModelDefinition,
  type NoComputed,
  type NoRelations,
  type Relations,
} from '../../model/define-model.ts'
import type { AccessPolicy } from '../../model/settings/access/access-types.ts'
import type { HookTables } from '../../model/settings/access/hook-types.ts'
import type { PolicyFor } from '../../model/settings/access/policy-of-model.ts'
import type { Meta } from '../../model/settings/meta.ts'
import { type ExactPolicy, policyFor } from '../policies/policy-for.ts'

/** The functions that `modelsFor` returns. */
export interface ModelsFor<User, DB = HookTables> {
  /**
   * `defineModel`, where `user` is a `User` in hooks, policies, rights of columns, defaults and validators, and `args.db` of the
   * callbacks in meta a `Kysely<DB>`.
   */
  defineModel<
    const Name extends string,
    const C extends Columns<User>,
    const R extends Relations = NoRelations,
    const P extends Readonly<Record<string, ComputedShape<User>>> = NoComputed,
    const Table extends string = string,
    const Schema extends string = never,
    const Scope extends string = never,
    const Unique extends readonly (keyof C & string)[] = never,
    const A extends DeclaredAggregates = NoAggregates,
    const Returned extends string = never,
  >(
    name: Name,
    definition: ModelDefinition<Table, C, R, P, C, User, Schema, DB, Scope, Unique, A, Returned>,
  ): Model<Name, Table, C, R, P, Schema, Unique, A>
  /** `defineBase` with typed users, also in `define` of its result. */
  defineBase<const C extends Columns<User>>(base: {
    readonly columns: C & Exact<C, keyof Column>
    readonly meta?: Meta<User, DB>
  }): BaseModel<C, User, DB>
  /** `policyFor` with typed users. */
  policyFor<M extends AnyModel, Tables, P extends PolicyFor<M, Tables, User>>(
    model: M,
    db: Kysely<Tables>,
    policy: P & PolicyFor<M, Tables, User> & ExactPolicy<M, P>,
  ): AccessPolicy<User>
}

/**
 * Types `user` in everything that models are declared with. The first type argument is the type of the user in hooks: `Member`, or
 * `Member | null` if some endpoints require no authentication. The second one is the Kysely interface of `args.db` in the callbacks
 * of meta.
 *
 * ```ts
 * interface Member { readonly id: number; readonly team_id: number }
 * const { defineModel } = modelsFor<Member>()
 * const Task = defineModel('Task', {
 *   columns: { id: { type: 'integer', primaryKey: true }, team_id: { type: 'integer', write: ({ user }) => user.id === 1 } },
 *   meta: { access_policy: () => ({ scope_query: (query, { user }) => query.where('team_id', '=', user.team_id) }) },
 * })
 * ```
 */
export const modelsFor = <User, DB = HookTables>(): ModelsFor<User, DB> => ({
  defineModel,
  defineBase,
  policyFor,
})
