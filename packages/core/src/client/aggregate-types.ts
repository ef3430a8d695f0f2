// The types of aggregates of related records: those that models declare (`aggregates: { total: sum('lines.amount') }`) and those of requests
// (`aggregate: { open: { count: 'appointments' } }`). Types only.
//
// Each follows the one path that is given, so a model costs the compiler nothing for paths that nobody names.

import type { AnyModel } from '../model/define-model.ts'
import type { Aggregated, AggregatePart, ColumnRow } from '../model/infer.ts'
import type { AggregateFunction } from '../model/query-words/operators.ts'
import type {
  FieldOf,
  FieldValue,
  GivenOptions,
  GroupableName,
  IsMany,
  Numeric,
  RelationName,
  Shape,
  Target,
  Unordered,
} from './model-fields.ts'

/** Where a path of relations leads. */
interface PathEnd {
  readonly model: AnyModel
  /** What follows the relations; `never` if nothing does. */
  readonly column: unknown
  /** Whether one of the relations is to-many. */
  readonly many: boolean
}

/**
 * Follows a path of relations, with or without a column at its end: of a model with many `lines`, `lines.amount` →
 * `{ model: Line; column: 'amount'; many: true }`.
 */
export type EndOf<M extends AnyModel, G extends GivenOptions, P, Many extends boolean = false> =
  P extends RelationName<M, G>
    ? EndAt<Target<M, G, P>, never, OneOf<Many, IsMany<M, P>>>
    : P extends `${infer R}.${infer Rest}`
      ? R extends RelationName<M, G>
        ? EndOf<Target<M, G, R>, G, Rest, OneOf<Many, IsMany<M, R>>>
        : EndAt<M, P, Many>
      : EndAt<M, P, Many>

/** A `PathEnd` of these parts. */
interface EndAt<M extends AnyModel, Column, Many extends boolean> extends PathEnd {
  readonly model: M
  readonly column: Column
  readonly many: Many
}

/** Whether A or B is true. */
type OneOf<A extends boolean, B> = A extends true ? true : B extends true ? true : false

/** The type of a sum or an average, as the server writes it. */
type SummedType<Fn, C extends Shape> = C['type'] extends 'integer' | 'float'
  ? Fn extends 'sum'
    ? C['type']
    : 'float'
  : 'decimal'

/** The declaration that a column with the values of an aggregate of the column `C` would have. */
type ShapeOfColumn<Fn, C extends Shape> = Fn extends 'sum' | 'avg'
  ? C['type'] extends Numeric
    ? { readonly type: SummedType<Fn, C>; readonly nullable: true }
    : never
  : C['type'] extends Unordered | 'boolean'
    ? never
    : { readonly type: C['type']; readonly nullable: true }

/**
 * An aggregate as a column: the function `Fn` over the records, or their column, at the `End` of a path: `sum` of a decimal →
 * `{ type: 'decimal'; nullable: true }`. `never` if there is no such aggregate. Decides which operators conditions on it have.
 */
export type AggregateShape<Fn, End> = End extends {
  readonly model: infer M extends AnyModel
  readonly column: infer Column
  readonly many: true
}
  ? [Column] extends [never]
    ? Fn extends 'count'
      ? { readonly type: 'integer' }
      : never
    : Fn extends 'count'
      ? never
      : Column extends GroupableName<M>
        ? ShapeOfColumn<Fn, FieldOf<M, Column>>
        : never
  : never

/** The value of an aggregate; `never` if there is no such aggregate. */
export type AggregateValue<Fn, End> =
  AggregateShape<Fn, End> extends infer S extends Shape
    ? [S] extends [never]
      ? never
      : Fn extends 'count'
        ? number
        : Fn extends 'sum' | 'avg'
          ? S['type'] extends 'decimal'
            ? string | null
            : number | null
          : End extends { readonly model: infer M extends AnyModel; readonly column: infer Column }
            ? Exclude<FieldValue<M, Column>, undefined> | null
            : never
    : never

/** The path of a declared aggregate. */
type PathOf<D> = D extends { readonly of: infer P } ? P : never
type FunctionOf<D> = D extends { readonly function: infer Fn extends AggregateFunction }
  ? Fn
  : never

/** A declared aggregate as a column. Its path may lead to models that are not among those of the API. */
type DeclaredShape<M extends AnyModel, G extends GivenOptions, D> =
  AggregateShape<FunctionOf<D>, EndOf<M, G, PathOf<D>>> extends infer S extends Shape
    ? [S] extends [never]
      ? { readonly type: 'decimal'; readonly nullable: true }
      : S
    : never

/** The value of a declared aggregate; less exact (`Aggregated`) if its path leads to models that are not among those of the API. */
type DeclaredValue<M extends AnyModel, G extends GivenOptions, D> = D extends {
  readonly function: 'count'
}
  ? number
  : AggregateValue<FunctionOf<D>, EndOf<M, G, PathOf<D>>> extends infer V
    ? [V] extends [never]
      ? Aggregated<D>
      : V
    : never

/** A column, a path into one, or a declared aggregate as a column. */
export type ShapeOf<M extends AnyModel, G extends GivenOptions, K> = K extends keyof M['aggregates']
  ? DeclaredShape<M, G, M['aggregates'][K]>
  : FieldOf<M, K>

/** The value of a column, of a path into one, or of a declared aggregate. */
export type ValueOf<M extends AnyModel, G extends GivenOptions, K> = K extends keyof ColumnRow<M>
  ? ColumnRow<M>[K]
  : K extends keyof M['aggregates']
    ? DeclaredValue<M, G, M['aggregates'][K]>
    : FieldValue<M, K>

type DeclaredValues<M extends AnyModel, G extends GivenOptions> = {
  readonly [K in keyof M['aggregates']]: DeclaredValue<M, G, M['aggregates'][K]>
}

/** Makes one object type of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] }

/** A record with all fields: `RowOf`, but with the exact types of declared aggregates, which follow from the related models of the API. */
export type WholeRow<M extends AnyModel, G extends GivenOptions> = [keyof M['aggregates']] extends [
  never,
]
  ? ColumnRow<M>
  : Flat<ColumnRow<M> & AggregatePart<M['aggregates'], DeclaredValues<M, G>>>
