// The types of the bodies of POST (`NewRecord`), PATCH (`Patch`) and PUT (`Replacement`), with nested records of relations:
// `{ title: 'Emma', author: { name: 'Jane Austen' } }`. Types only. M is the model, G the options of the API with all models.

import type { AnyModel } from '../model/define-model.ts'
import type { ColumnRow, NewRowOf, PatchOf, RowOf } from '../model/infer.ts'
import type { GivenOptions, IsMany, KeyName, RelationName, Target } from './model-fields.ts'

/** Makes one object type of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] }

/** The fields of a key: `'author_id'`, or the items of `['shelf', 'place']`. */
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

/** The value of the relation `K` in a body. */
type Nested<M extends AnyModel, G extends GivenOptions, K> =
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

/** The names of these columns. */
type FixedName<C> = { [K in keyof C]: C[K] extends Fixed ? K : never }[keyof C]

/** The name of the model that is API_USER_MODEL; `never` if the type of the options does not tell. */
type UsersName<G extends GivenOptions> = G extends {
  readonly config?: { readonly API_USER_MODEL?: infer Users extends AnyModel }
}
  ? string extends Users['name']
    ? never
    : Users['name']
  : never

/** Columns whose model says who may write them, even if they give roles. */
type Decided = { readonly readOnly: boolean } | { readonly write: NonNullable<unknown> }

/** The columns that give roles to users: the column `roles`, or the foreign key of a to-one relation `roles`. */
type RolesName<M extends AnyModel> = M['relations'] extends {
  readonly roles: { readonly kind: 'belongsTo'; readonly key: infer Key }
}
  ? Fields<Key>
  : 'roles'

/** The columns of the user model that clients cannot write because they give roles. */
type GuardedName<M extends AnyModel, G extends GivenOptions> =
  M['name'] extends UsersName<G>
    ? {
        [K in keyof M['columns'] & RolesName<M>]: M['columns'][K] extends Decided ? never : K
      }[keyof M['columns'] & RolesName<M>]
    : never

/** `Fields`, the fields of a body, without those that give roles. */
type WithoutRoles<Fields, M extends AnyModel, G extends GivenOptions> = [
  GuardedName<M, G>,
] extends [never]
  ? Fields
  : Omit<Fields, GuardedName<M, G>>

/** The fields of a new record, without its relations. */
type NewFields<M extends AnyModel, G extends GivenOptions> = WithoutRoles<NewRowOf<M>, M, G>

/** The relations that a body may contain: all but those whose foreign key clients cannot write. */
type WritableRelation<M extends AnyModel, G extends GivenOptions> = [
  FixedName<M['columns']> | GuardedName<M, G>,
] extends [never]
  ? RelationName<M, G>
  : {
      [K in RelationName<M, G>]: M['relations'][K] extends {
        readonly kind: 'belongsTo'
        readonly key: infer Key
      }
        ? [Fields<Key> & (FixedName<M['columns']> | GuardedName<M, G>)] extends [never]
          ? K
          : never
        : K
    }[RelationName<M, G>]

/** The relations of a body. */
type NestedMembers<M extends AnyModel, G extends GivenOptions> = {
  readonly [K in WritableRelation<M, G>]?: Nested<M, G, K>
}

/**
 * A related record in a body: the fields of a new record, or the key of a stored one, for a child with the fields to change. It is one mapped
 * type, because all members are optional and the compiler would accept anything, `labels: ['bug']`, for an intersection with `{}`.
 */
export type NestedRecord<M extends AnyModel, G extends GivenOptions> = {
  [K in keyof NestedFields<M, G>]: NestedFields<M, G>[K]
}

/** The members of a related record. */
type NestedFields<M extends AnyModel, G extends GivenOptions> = Partial<RowOf<M>> &
  Partial<NewRowOf<M>> &
  NestedMembers<M, G>

/** Columns that PUT keeps if the body lacks them, because clients cannot read them. */
type WriteOnlyName<C> = {
  [K in keyof C]: C[K] extends { readonly writeOnly: true } ? K : never
}[keyof C]

/** Columns that are set only in a new record. */
type ImmutableName<C> = {
  [K in keyof C]: C[K] extends { readonly immutable: true } ? K : never
}[keyof C]

/** The to-one relations whose foreign key is set only in a new record. */
type ImmutableRelation<M extends AnyModel> = {
  [K in keyof M['relations']]: M['relations'][K] extends {
    readonly kind: 'belongsTo'
    readonly key: infer Key
  }
    ? [Fields<Key> & ImmutableName<M['columns']>] extends [never]
      ? never
      : K
    : never
}[keyof M['relations']]

/** The relations of the body of a PATCH or PUT: without those that are set only in a new record. */
type ChangedMembers<M extends AnyModel, G extends GivenOptions> = [
  ImmutableName<M['columns']>,
] extends [never]
  ? NestedMembers<M, G>
  : Omit<NestedMembers<M, G>, ImmutableRelation<M>>

/** The fields to change in a record. */
export type Patch<M extends AnyModel, G extends GivenOptions> = WithoutRoles<PatchOf<M>, M, G> &
  ChangedMembers<M, G>

/** The key of a record, and the fields to change in it. */
export type KeyedPatch<M extends AnyModel, G extends GivenOptions> = Patch<M, G> &
  Readonly<Pick<ColumnRow<M>, KeyName<M> & keyof ColumnRow<M>>>

/**
 * The fields of a whole record. PUT changes neither its key, which the path contains, nor what is set once, so both may be omitted. So may
 * write-only columns, which it then keeps.
 */
type ReplacedFields<M extends AnyModel, G extends GivenOptions> = Omit<
  NewFields<M, G>,
  KeptName<M>
> &
  Partial<Pick<NewFields<M, G>, KeptName<M> & keyof NewFields<M, G>>>

/** The fields that PUT may omit. */
type KeptName<M extends AnyModel> =
  | KeyName<M>
  | ImmutableName<M['columns']>
  | WriteOnlyName<M['columns']>

/**
 * The to-one relations of `N` that a body may contain instead of a foreign key that `F` requires. An optional foreign key needs no
 * alternative, and the compiler would name its relation as what the body lacks.
 */
type OwnerName<M extends AnyModel, F, N> = {
  [K in keyof N & keyof M['relations']]: M['relations'][K] extends {
    readonly kind: 'belongsTo'
    readonly key: infer Key
  }
    ? NonNullable<unknown> extends Pick<F, Fields<Key> & keyof F>
      ? never
      : K
    : never
}[keyof N & keyof M['relations']]

/**
 * A whole record of the fields `F` and the nested records `N`. A required foreign key is optional if the body contains the related
 * record instead. The compiler names what the last alternative requires, and sorts intersections behind flat types, so that it names
 * the foreign key, not the relation.
 */
type Body<M extends AnyModel, F, N> =
  | {
      [K in OwnerName<M, F, N>]: Flat<
        Omit<F, ForeignKey<M> & PropertyKey> &
          Partial<F> &
          N & { readonly [_ in K]: Exclude<N[K & keyof N], undefined> }
      >
    }[OwnerName<M, F, N>]
  | (F & N)

/** A new record. */
export type NewRecord<M extends AnyModel, G extends GivenOptions> = Body<
  M,
  NewFields<M, G>,
  NestedMembers<M, G>
>

/** A whole record instead of a stored one. */
export type Replacement<M extends AnyModel, G extends GivenOptions> = Body<
  M,
  ReplacedFields<M, G>,
  ChangedMembers<M, G>
>
