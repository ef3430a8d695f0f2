// What a program may write: the bodies of POST and PATCH with records of relations in them. Types only.

import type { AnyModel } from '../model/define-model.ts'
import type { NewRowOf, PatchOf, RowOf } from '../model/infer.ts'
import type { Given, IsMany, KeyName, RelationName, Target } from './model-fields.ts'

type Fields<K> = K extends readonly (infer F)[] ? F : K

/** The columns that hold the keys of other records. */
type ForeignKey<M extends AnyModel> = {
  [K in keyof M['relations']]: M['relations'][K] extends {
    readonly kind: 'belongsTo'
    readonly key: infer Key
  }
    ? Fields<Key>
    : never
}[keyof M['relations']]

type OwnerName<M extends AnyModel, G extends Given> = {
  [K in RelationName<M, G>]: M['relations'][K]['kind'] extends 'belongsTo' ? K : never
}[RelationName<M, G>]

type Nested<M extends AnyModel, G extends Given, K> =
  IsMany<M, K> extends true
    ? readonly NestedRecord<Target<M, G, K>, G>[]
    : NestedRecord<Target<M, G, K>, G> | null

type NestedMembers<M extends AnyModel, G extends Given> = {
  readonly [K in RelationName<M, G>]?: Nested<M, G, K>
}

/** A related record: a new one, or the key of one that is there. */
export type NestedRecord<M extends AnyModel, G extends Given> = Partial<RowOf<M>> &
  Partial<NewRowOf<M>> &
  NestedMembers<M, G>

/** A new record. A foreign key is optional where its record is given instead. */
export type NewRecord<M extends AnyModel, G extends Given> =
  | (NewRowOf<M> & NestedMembers<M, G>)
  | (Omit<NewRowOf<M>, ForeignKey<M> & PropertyKey> &
      Partial<NewRowOf<M>> &
      NestedMembers<M, G> &
      { [K in OwnerName<M, G>]: { readonly [_ in K]: Nested<M, G, K> } }[OwnerName<M, G>])

/** What changes in a record. */
export type Patch<M extends AnyModel, G extends Given> = PatchOf<M> & NestedMembers<M, G>

/** What changes in the record of a key. */
export type KeyedPatch<M extends AnyModel, G extends Given> = Patch<M, G> &
  Readonly<Pick<RowOf<M>, KeyName<M> & keyof RowOf<M>>>

/** All of a record; its key, which the path has, may be left out. */
export type Replacement<M extends AnyModel, G extends Given> =
  | NewRecord<M, G>
  | (Omit<NewRowOf<M>, KeyName<M>> & NestedMembers<M, G>)
