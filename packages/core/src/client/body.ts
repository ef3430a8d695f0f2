// The types of bodies of POST, PATCH and PUT, with nested records of relations. Types only.

import type { AnyModel } from '../model/define-model.ts'
import type { NewRowOf, PatchOf, RowOf } from '../model/infer.ts'
import type { Given, IsMany, KeyName, RelationName, Target } from './model-fields.ts'

type Fields<K> = K extends readonly (infer F)[] ? F : K

/** The foreign key columns of a model. */
type ForeignKey<M extends AnyModel> = {
  [K in keyof M['relations']]: M['relations'][K] extends {
    readonly kind: 'belongsTo'
    readonly key: infer Key
  }
    ? Fields<Key>
    : never
}[keyof M['relations']]

type OwnerName<M extends AnyModel, G extends Given> = {
  [K in WritableRelation<M, G>]: M['relations'][K]['kind'] extends 'belongsTo' ? K : never
}[WritableRelation<M, G>]

type Nested<M extends AnyModel, G extends Given, K> =
  IsMany<M, K> extends true
    ? readonly NestedRecord<Target<M, G, K>, G>[]
    : NestedRecord<Target<M, G, K>, G> | null

/**
 * Columns that clients cannot write, neither directly nor through a relation. A hidden column is one of them unless the model
 * declares `readOnly: false` for it.
 */
type Fixed =
  | { readonly readOnly: true }
  | { readonly generated: true | 'uuid' }
  | { readonly managed: 'created' | 'updated' }
  | { readonly hidden: true; readonly readOnly?: undefined }

type FixedName<C> = { [K in keyof C]: C[K] extends Fixed ? K : never }[keyof C]

/** The relations that a body may contain: all but those whose foreign key clients cannot write. */
type WritableRelation<M extends AnyModel, G extends Given> = [FixedName<M['columns']>] extends [
  never,
]
  ? RelationName<M, G>
  : {
      [K in RelationName<M, G>]: M['relations'][K] extends {
        readonly kind: 'belongsTo'
        readonly key: infer Key
      }
        ? [Fields<Key> & FixedName<M['columns']>] extends [never]
          ? K
          : never
        : K
    }[RelationName<M, G>]

type NestedMembers<M extends AnyModel, G extends Given> = {
  readonly [K in WritableRelation<M, G>]?: Nested<M, G, K>
}

/** A related record in a body: a new record, or the key of an existing one. */
export type NestedRecord<M extends AnyModel, G extends Given> = Partial<RowOf<M>> &
  Partial<NewRowOf<M>> &
  NestedMembers<M, G>

/** A new record. A foreign key is optional if the body contains the related record instead. */
export type NewRecord<M extends AnyModel, G extends Given> =
  | (NewRowOf<M> & NestedMembers<M, G>)
  | (Omit<NewRowOf<M>, ForeignKey<M> & PropertyKey> &
      Partial<NewRowOf<M>> &
      NestedMembers<M, G> &
      { [K in OwnerName<M, G>]: { readonly [_ in K]: Nested<M, G, K> } }[OwnerName<M, G>])

/** The fields to change in a record. */
export type Patch<M extends AnyModel, G extends Given> = PatchOf<M> & NestedMembers<M, G>

/** The key of a record, and the fields to change in it. */
export type KeyedPatch<M extends AnyModel, G extends Given> = Patch<M, G> &
  Readonly<Pick<RowOf<M>, KeyName<M> & keyof RowOf<M>>>

/** A whole record; its key may be omitted, because the path contains it. */
export type Replacement<M extends AnyModel, G extends Given> =
  | NewRecord<M, G>
  | (Omit<NewRowOf<M>, KeyName<M>> & NestedMembers<M, G>)
