// The callbacks in the meta of a model that receive its records, typed by its columns. Types only.

import type { AnyModel } from '../../define-model.ts'
import type { RecordOf, RowOf } from '../../infer.ts'
import type { AddedRecord } from './added-record.ts'
import type { HookArgs, HookRecord } from './hook-types.ts'

type Awaitable<T> = T | Promise<T>

/** The callbacks of a model that receive one of its records, also for one method: `post_add_callback`. */
export type RecordCallback =
  `${'' | `${MetaMethod}_`}${'add' | 'update' | 'remove' | 'dump'}_callback`

/** The methods for which meta can set a rate limit or a callback of their own. */
export type MetaMethod = 'get' | 'post' | 'patch' | 'put' | 'delete'

type ModelArgs<M extends AnyModel, User, DB> = HookArgs<User, DB, RecordOf<M>>

/** Any value. That it mentions `string` keeps the compiler from widening a returned member of an enum, `'open'`, to `string`. */
type AnyValue = string | NonNullable<unknown> | null | undefined

/** All columns of a record, or some; `Name` are the names of those that a callback returns. */
type ReturnedRecord<M extends AnyModel, Name extends string> = {
  // biome-ignore lint/suspicious/noExplicitAny: a record with any names cannot be checked
  readonly [K in Name]?: K extends keyof RecordOf<M> ? RecordOf<M>[K] : any
} & {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly [K in Name]?: K extends keyof RecordOf<M> ? AnyValue : any
}

/** `add_callback`: the object has the columns that POST requires and those that the API fills; all others are optional. */
export type AddCallbackOf<M extends AnyModel, User, DB, Name extends string> = (
  object: AddedRecord<M>,
  model: AnyModel,
  args: ModelArgs<M, User, DB>,
) => Awaitable<ReturnedRecord<M, Name>>

/** `update_callback` and `remove_callback`: the object has all columns; in an update it is the stored record with the changes. */
export type ChangeCallbackOf<M extends AnyModel, User, DB, Name extends string> = (
  object: RecordOf<M>,
  model: AnyModel,
  args: ModelArgs<M, User, DB>,
) => Awaitable<ReturnedRecord<M, Name>>

/** A string type that names what a callback returns although it is no column, else unknown. */
export type KnownColumns<M extends AnyModel, Name extends string> = string extends Name
  ? unknown
  : [Exclude<Name, keyof RecordOf<M>>] extends [never]
    ? unknown
    : `the model has no column "${Exclude<Name, keyof RecordOf<M>>}"`

/** What a `dump_callback` receives: the columns and aggregates that `fields` requests, and the relations. */
type DumpedRecord<M extends AnyModel> = Partial<RowOf<M>> & {
  // biome-ignore lint/suspicious/noExplicitAny: a URL, or records of a model that this type does not know
  readonly [K in keyof M['relations']]?: any
}

/** `dump_callback`; what it returns may have further members. */
export type DumpCallbackOf<M extends AnyModel, User, DB> = (
  data: DumpedRecord<M>,
  args: ModelArgs<M, User, DB>,
) => Awaitable<HookRecord>
