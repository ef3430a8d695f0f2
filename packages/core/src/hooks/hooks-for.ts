// hooksFor: types the callbacks of a model's meta by the model; at run time it gives back what it was given.

import type { HookArgs, HookRecord } from '../config/hook-types.ts'
import type { Meta } from '../config/meta.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { RecordOf, RowOf } from '../model/infer.ts'

type Awaitable<T> = T | Promise<T>

/** Callbacks that know the model: records in JSON forms; hidden columns where a record is written, not where it is shown. */
export interface HooksFor<M extends AnyModel> {
  add_callback?(
    object: Partial<RecordOf<M>>,
    model: AnyModel,
    args: HookArgs,
  ): Awaitable<Partial<RecordOf<M>>>
  update_callback?(
    object: Partial<RecordOf<M>>,
    model: AnyModel,
    args: HookArgs,
  ): Awaitable<Partial<RecordOf<M>>>
  remove_callback?(object: RecordOf<M>, model: AnyModel, args: HookArgs): Awaitable<RecordOf<M>>
  /** `data` lacks what the request did not ask for (`fields`), and has relations beside the columns. */
  dump_callback?(data: Partial<RowOf<M>> & HookRecord, args: HookArgs): Awaitable<HookRecord>
}

/** A misspelt callback is a compile error. */
type Exact<H> = { readonly [K in Exclude<keyof H, keyof HooksFor<AnyModel>>]: never }

/**
 * Types the callbacks of a model by its columns; a wrong column name does not compile.
 *
 * ```ts
 * const hooks = hooksFor(defineModel('Book', { columns }), {
 *   add_callback: (book) => ({ ...book, title: book.title?.trim() }),
 * })
 * const Book = defineModel('Book', { columns, meta: { ...hooks } })
 * ```
 */
export function hooksFor<const M extends AnyModel, const H extends HooksFor<M>>(
  _model: M,
  hooks: H & HooksFor<M> & Exact<H>,
): Pick<Meta, keyof H & keyof Meta> {
  return hooks as unknown as Pick<Meta, keyof H & keyof Meta>
}
