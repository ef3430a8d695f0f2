// hooksFor: types the callbacks of a model's meta by the model; at run time it returns its argument unchanged.

import type { AnyModel } from '../../model/define-model.ts'
import type { RecordOf, RowOf } from '../../model/infer.ts'
import type {
  HookArgs,
  HookRecord,
  HookTables,
  HookUser,
} from '../../model/settings/access/hook-types.ts'
import type { Meta } from '../../model/settings/meta.ts'
import type { AddedRecord } from './added-record.ts'

type Awaitable<T> = T | Promise<T>

/** Callbacks typed by their model. Records contain JSON values, in writes also those of hidden columns. */
export interface HooksFor<M extends AnyModel, User = HookUser, DB = HookTables> {
  /** `object` has the columns that POST requires and those that the API fills; all others are optional. */
  add_callback?(
    object: AddedRecord<M>,
    model: AnyModel,
    args: HookArgs<User, DB>,
  ): Awaitable<Partial<RecordOf<M>>>
  /** `object` is the stored record with the changes, and has all columns. */
  update_callback?(
    object: RecordOf<M>,
    model: AnyModel,
    args: HookArgs<User, DB>,
  ): Awaitable<Partial<RecordOf<M>>>
  remove_callback?(
    object: RecordOf<M>,
    model: AnyModel,
    args: HookArgs<User, DB>,
  ): Awaitable<RecordOf<M>>
  /** `data` has the columns that `fields` requests, and the relations. */
  dump_callback?(
    data: Partial<RowOf<M>> & HookRecord,
    args: HookArgs<User, DB>,
  ): Awaitable<HookRecord>
}

/** A misspelt callback is a compile error. */
export type Misspelt<H> = { readonly [K in Exclude<keyof H, keyof HooksFor<AnyModel>>]: never }

/**
 * Types the callbacks of a model by its columns; a wrong column name does not compile.
 *
 * The record of `update_callback` and `remove_callback` has all columns. That of `add_callback` has the columns that POST requires, and
 * those that the API fills (`default`, `managed`, `generated: 'uuid'`); columns that the database fills, and those that a body may omit,
 * are optional. A callback returns all columns, or some.
 *
 * ```ts
 * const hooks = hooksFor(defineModel('Book', { columns }), {
 *   add_callback: (book) => ({ ...book, title: book.title.trim() }),
 * })
 * const Book = defineModel('Book', { columns, meta: { ...hooks } })
 * ```
 */
export function hooksFor<const M extends AnyModel, const H extends HooksFor<M>>(
  _model: M,
  hooks: H & HooksFor<M> & Misspelt<H>,
): Pick<Meta, keyof H & keyof Meta> {
  return hooks as unknown as Pick<Meta, keyof H & keyof Meta>
}
