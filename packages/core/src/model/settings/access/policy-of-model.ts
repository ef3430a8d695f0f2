// PolicyFor: the hooks of a policy in the meta of a model, `access_policy: (model) => ({ … })`, typed by the columns of the model. PolicyOption
// is the option `access_policy`, and KnownNames makes a misspelt column in it a compile error. Types only.

import type { SelectQueryBuilder } from 'kysely'
import type { AnyModel } from '../../define-model.ts'
import type { QualifiedTable, RecordOf, TableOf } from '../../infer.ts'
import type { AccessPolicy } from './access-types.ts'
import type { HookArgs, HookUser } from './hook-types.ts'
import type { ScopeConditions, ScopeFunction } from './scope-types.ts'

type Awaitable<T> = T | Promise<T>
type Falsy = false | null | undefined | 0 | ''

/**
 * The tables in `DB` if the model's table is among them; otherwise only the model's table, under any name if the model declares
 * none. In a query, the name of a table in another schema is `schema.table`.
 */
type Tables<M extends AnyModel, DB> = M['table'] extends keyof DB
  ? [Exclude<QualifiedTable<M> & keyof DB, M['table']>] extends [never]
    ? DB
    : TableByName<M>
  : TableByName<M>

/** `{ books: { id: number; title: string } }` */
type TableByName<M extends AnyModel> = Readonly<Record<M['table'], TableOf<M['columns']>>>

// biome-ignore lint/suspicious/noExplicitAny: joins change the tables, and any selection that has the columns will do
type Narrowed = SelectQueryBuilder<any, any, any>

/** The query that `scope_query` receives. */
type Query<M extends AnyModel, DB> = SelectQueryBuilder<
  Tables<M, DB>,
  M['table'] & keyof Tables<M, DB>,
  object
>

/** The names that conditions of `scope` may begin with: columns, paths into json columns, relations, and the connectives. */
type ScopeName<M extends AnyModel> =
  | keyof M['columns']
  | keyof M['computed']
  | keyof M['relations']
  | 'and'
  | 'or'
  | 'not'
  | `${string}.${string}`

/** Makes a name that is no `ScopeName` a compile error, which names it. */
export type KnownNames<M extends AnyModel, Name extends PropertyKey> = {
  readonly [K in Exclude<Name, ScopeName<M>>]: `the model has no column "${K & string}"`
}

/** `scope` as an object with these names. Those of a type with any name, such as `AccessPolicy`, cannot be checked. */
type NamedScope<M extends AnyModel, User, Name extends string> = {
  readonly [K in Name]?: ScopeConditions<User>[string]
} & (string extends Name ? unknown : KnownNames<M, Name>)

/** A policy typed by its model: records hold JSON values and hidden columns; `data` holds the fields being written. */
export interface PolicyFor<M extends AnyModel, DB, User = HookUser, Name extends string = string> {
  readonly scope?: NamedScope<M, User, Name> | ScopeFunction<User>
  scope_query?(query: Query<M, DB>, args: HookArgs<User>): Awaitable<Narrowed | Falsy>
  can_read?(object: RecordOf<M>, args: HookArgs<User>): Awaitable<unknown>
  can_create?(data: Partial<RecordOf<M>>, args: HookArgs<User>): Awaitable<unknown>
  can_update?(
    object: RecordOf<M>,
    data: Partial<RecordOf<M>>,
    args: HookArgs<User>,
  ): Awaitable<unknown>
  can_delete?(object: RecordOf<M>, args: HookArgs<User>): Awaitable<unknown>
}

/** `access_policy` of a model: a policy, a class, or a function whose hooks are typed by the model. */
export type PolicyOption<M extends AnyModel, User = HookUser, Name extends string = string> =
  | AccessPolicy<User>
  | (new () => AccessPolicy<User>)
  | ((model: M) => PolicyFor<M, unknown, User, Name>)
