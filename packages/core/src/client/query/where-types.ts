// Conditions as objects: which operators each column takes, and the relations that can be followed. Types only.

import type { ColumnType } from '../../model/column.ts'
import type { AnyModel } from '../../model/define-model.ts'
import type {
  FieldOf,
  FieldValue,
  Given,
  IsMany,
  OwnName,
  RelationName,
  Shape,
  Target,
  ToOneName,
} from '../model-fields.ts'

interface NullTest {
  /** Whether the value is NULL. */
  readonly isnull?: boolean
}

interface Equality<V> extends NullTest {
  readonly eq?: V
  readonly ne?: V
  readonly in?: readonly V[]
  readonly nin?: readonly V[]
}

interface Ordering<V> extends Equality<V> {
  readonly lt?: V
  readonly le?: V
  readonly gt?: V
  readonly ge?: V
  /** Both ends are included. */
  readonly between?: readonly [low: V, high: V]
}

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

type NullOf<C extends Shape> = C extends { readonly nullable: true } ? null : never

/** A value is short for `{ eq: value }`, null for `{ isnull: true }`. */
type ColumnCondition<C extends Shape, V> = C['type'] extends Uncompared | 'list'
  ? Operators<C, V> | NullOf<C>
  : Operators<C, V> | V | NullOf<C>

type Valued<V> = Exclude<V, null | undefined>

/** Conditions on columns of a model, and on paths into them (`'profile->address.city'`); all must hold. */
export type ColumnConditions<M extends AnyModel> = {
  readonly [K in OwnName<M>]?: ColumnCondition<FieldOf<M, K>, Valued<FieldValue<M, K>>>
}

/**
 * Conditions on a related record: `{ author: { name: 'Jane Austen' } }`. For a to-many relation, one record must meet all
 * conditions; `{}` requires any related record, null requires that there is none.
 */
export type RelationConditions<M extends AnyModel, G extends Given> = {
  readonly [K in RelationName<M, G>]?:
    | null
    | (IsMany<M, K> extends true
        ? ColumnConditions<Target<M, G, K>>
        : ToOneConditions<Target<M, G, K>, G>)
}

type ToOneConditions<M extends AnyModel, G extends Given> = ColumnConditions<M> & {
  readonly [K in ToOneName<M, G>]?: null | ToOneConditions<Target<M, G, K>, G>
}

/** Conditions on the records of a model; all must hold. */
export type Where<M extends AnyModel, G extends Given> = ColumnConditions<M> &
  RelationConditions<M, G> & {
    /** At least one of these must hold. */
    readonly or?: readonly Where<M, G>[]
    readonly and?: readonly Where<M, G>[]
    /** Negates the conditions. As in SQL, neither a condition on a NULL value nor its negation is true. */
    readonly not?: Where<M, G>
  }

/** The column types that rows cannot be ordered or grouped by. */
export type Unordered = Extract<ColumnType, 'json' | 'binary' | 'list' | 'opaque'>
