// Conditions as objects, such as `where: { price: { gt: '20' }, author: { name: 'Emma' } }`: which operators each column takes, and the relations
// that can be followed. Types only. C is the declaration of a column, V the type of its values.

import type { AnyModel } from '../../model/define-model.ts'
import type { ShapeOf, ValueOf } from '../aggregate-types.ts'
import type {
  GivenOptions,
  IsMany,
  OwnName,
  RelationName,
  Shape,
  Target,
  ToOneName,
} from '../model-fields.ts'

/** The operators of every column. */
interface NullTest {
  /** Whether the value is NULL. */
  readonly isnull?: boolean
}

/** The operators of columns whose values can be compared, but have no order. */
interface Equality<V> extends NullTest {
  readonly eq?: V
  readonly ne?: V
  readonly in?: readonly V[]
  readonly nin?: readonly V[]
}

/** The operators of columns whose values have an order. */
interface Ordering<V> extends Equality<V> {
  readonly lt?: V
  readonly le?: V
  readonly gt?: V
  readonly ge?: V
  /** Both ends are included. */
  readonly between?: readonly [low: V, high: V]
}

/** The further operators of texts. */
interface TextTests {
  /** Contains the text literally: `%` and `_` are no wildcards. Operators with `i` ignore case, operators with `n` negate. */
  readonly like?: string
  readonly ilike?: string
  readonly nlike?: string
  readonly nilike?: string
  readonly startswith?: string
  readonly istartswith?: string
  readonly endswith?: string
  readonly iendswith?: string
}

/** The operators of lists. */
interface ListTests<V> extends NullTest {
  /** Has all of the items. */
  readonly contains?: V
  /** Has one of the items. */
  readonly overlaps?: V
}

type Text = 'string' | 'text' | 'enum'
type Uncompared = 'json' | 'binary' | 'opaque'

/** The operators of a column, by its type. */
export type Operators<C extends Shape, V> = C['type'] extends Text
  ? Ordering<V> & TextTests
  : C['type'] extends Uncompared
    ? NullTest
    : C['type'] extends 'list'
      ? C extends { readonly items: 'datetime' | 'time' }
        ? NullTest
        : ListTests<V>
      : C['type'] extends 'boolean'
        ? Equality<V>
        : C extends { readonly storage: 'text' }
          ? Equality<V>
          : Ordering<V>

/** Null, if the column may be NULL. */
type NullOf<C extends Shape> = C extends { readonly nullable: true } ? null : never

/** A value is short for `{ eq: value }`, null for `{ isnull: true }`. */
export type ColumnCondition<C extends Shape, V> = C['type'] extends Uncompared | 'list'
  ? Operators<C, V> | NullOf<C>
  : Operators<C, V> | V | NullOf<C>

/** The type of an operator's value: conditions on NULL have an operator of their own. */
export type Valued<V> = Exclude<V, null | undefined>

/** Conditions on columns of a model, and on paths into them (`'profile->address.city'`); all must hold. */
export type ColumnConditions<M extends AnyModel, G extends GivenOptions> = {
  readonly [K in OwnName<M>]?: ColumnCondition<ShapeOf<M, G, K>, Valued<ValueOf<M, G, K>>>
}

/**
 * Conditions on a related record: `{ author: { name: 'Jane Austen' } }`. For a to-many relation, one record must meet all
 * conditions; `{}` requires any related record, null requires that there is none.
 */
export type RelationConditions<M extends AnyModel, G extends GivenOptions> = {
  readonly [K in RelationName<M, G>]?:
    | null
    | (IsMany<M, K> extends true
        ? ColumnConditions<Target<M, G, K>, G>
        : ToOneConditions<Target<M, G, K>, G>)
}

/** Conditions on the record of a to-one relation; they may follow further to-one relations. */
type ToOneConditions<M extends AnyModel, G extends GivenOptions> = ColumnConditions<M, G> & {
  readonly [K in ToOneName<M, G>]?: null | ToOneConditions<Target<M, G, K>, G>
}

/** Conditions on the records of a model, and those of `Labels` on aggregates of the query (`unknown`: there are none); all must hold. */
export type Where<M extends AnyModel, G extends GivenOptions, Labels = unknown> = ColumnConditions<
  M,
  G
> &
  RelationConditions<M, G> &
  Labels & {
    /** At least one of these must hold. */
    readonly or?: readonly Where<M, G, Labels>[]
    readonly and?: readonly Where<M, G, Labels>[]
    /** Negates the conditions. As in SQL, neither a condition on a NULL value nor its negation is true. */
    readonly not?: Where<M, G, Labels>
  }
