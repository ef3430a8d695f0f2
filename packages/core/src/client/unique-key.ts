// UniqueKey: the type of `onConflict`, the columns by which an upsert finds a stored record: `'isbn'`, or `['shop_id', 'number']` for a
// unique set. Allows what the server allows (model/registry/checks/field-rules.ts). Types only.

import type { AnyModel } from '../model/define-model.ts'
import type { FieldName, KeyName } from './model-fields.ts'

type ColumnName<M extends AnyModel> = FieldName<M> & keyof M['columns']

/** Columns whose value in a new record the service knows. */
type Filled = { readonly default: unknown } | { readonly managed: string }

/** Whether a record can be found by a value of the column `C`: by the client's, or by the one that the service fills in. */
type IsMatched<C> = C extends Filled
  ? true
  : C extends { readonly hidden: true }
    ? false
    : C extends { readonly generated: true | 'uuid' }
      ? true
      : C extends { readonly readOnly: true }
        ? false
        : true

/** The unique columns by which a record can be found. */
type UniqueName<M extends AnyModel> = {
  [K in ColumnName<M>]: M['columns'][K] extends { readonly unique: true }
    ? IsMatched<M['columns'][K]> extends true
      ? K
      : never
    : never
}[ColumnName<M>]

/** Whether the primary key has several columns. */
type IsComposite<Key, All = Key> = Key extends unknown
  ? [All] extends [Key]
    ? false
    : true
  : never

/** The unique sets of a model. */
type SetOf<M extends AnyModel> = NonNullable<M['unique']>[number]

/** The visible columns of a unique set, by which clients name it; `never` if it cannot be named. */
type Visible<M extends AnyModel, Set> = Set extends readonly [infer C, ...infer More]
  ? IsMatched<M['columns'][C & string]> extends true
    ? M['columns'][C & string] extends { readonly hidden: true }
      ? Visible<M, More>
      : readonly [C, ...Visible<M, More>]
    : never
  : readonly []

/** A list of the columns of a set, in any order. */
type InAnyOrder<Set> = Set extends readonly [infer C]
  ? C | readonly [C]
  : Set extends readonly [unknown, ...unknown[]]
    ? { readonly [I in keyof Set]: Set[number] }
    : never

/** How a client names a unique set. */
type NamedSet<M extends AnyModel, Set> = Set extends unknown
  ? number extends Set['length' & keyof Set]
    ? AnyColumns<M>
    : InAnyOrder<Visible<M, Set>>
  : never

/** For a set whose type does not tell its columns. */
type AnyColumns<M extends AnyModel> = ColumnName<M> | readonly [ColumnName<M>, ...ColumnName<M>[]]

/** A column that is unique by itself. */
type SingleKey<M extends AnyModel> =
  | UniqueName<M>
  | (true extends IsComposite<KeyName<M>> ? never : KeyName<M>)

/** The columns of a primary key of several, in any order. */
type CompositeKey<M extends AnyModel> =
  true extends IsComposite<KeyName<M>> ? readonly [KeyName<M>, KeyName<M>, ...KeyName<M>[]] : never

/** A unique column, the primary key, or the visible columns of a unique set. */
export type UniqueKey<M extends AnyModel> = string extends keyof M['columns']
  ? string | readonly string[]
  : SingleKey<M> | readonly [SingleKey<M>] | CompositeKey<M> | NamedSet<M, SetOf<M>>
