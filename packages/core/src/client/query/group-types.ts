// Groups and aggregates: the types of a query for groups, and of its result. Types only. The query `{ groupBy: ['rating'], aggregate: { n:
// { count: 'id' } } }` has By = 'rating' and A = `{ n: { count: 'id' } }`; its groups are `{ rating: number, n: number }`.

import type { AnyModel } from '../../model/define-model.ts'
import type {
  FieldOf,
  FieldValue,
  GivenOptions,
  GroupableName,
  Numeric,
  Shape,
  Target,
  ToOneName,
  Unordered,
} from '../model-fields.ts'
import type { Named, ValueAt } from '../row.ts'
import type { Nulls, SendOptions } from './query.ts'
import type { Where } from './where-types.ts'

/** The columns of the type `Type`, except those of the type `Not`. */
type NameOfType<M extends AnyModel, Type, Not = never> = {
  [K in GroupableName<M>]: FieldOf<M, K>['type'] extends Type
    ? FieldOf<M, K>['type'] extends Not
      ? never
      : K
    : never
}[GroupableName<M>]

type DatePart = 'year' | 'month' | 'day'

/** A column of the model or of a to-one relation, or a part of a date: `'rating'`, `'author.country'`, `'year(created_at)'`. */
export type GroupKey<M extends AnyModel, G extends GivenOptions> =
  | NameOfType<M, unknown, Unordered>
  | `${DatePart}(${NameOfType<M, 'date' | 'datetime'>})`
  | {
      [K in ToOneName<M, G>]: `${K}.${NameOfType<Target<M, G, K>, unknown, Unordered>}`
    }[ToOneName<M, G>]

/** The columns that `count` takes: no paths into json columns. */
type CountedName<M extends AnyModel> = Exclude<GroupableName<M>, `${string}->${string}`>

/** One aggregate function and its column: `{ sum: 'price' }`. */
export type Aggregate<M extends AnyModel> =
  | { readonly count: CountedName<M> }
  | { readonly [F in 'sum' | 'avg']: { readonly [_ in F]: NameOfType<M, Numeric> } }['sum' | 'avg']
  | {
      readonly [F in 'min' | 'max']: {
        readonly [_ in F]: NameOfType<M, unknown, Unordered | 'boolean'>
      }
    }['min' | 'max']

/** The aggregates of a query, by their names in the result. */
export type Aggregates<M extends AnyModel> = Readonly<Record<string, Aggregate<M>>>

/** The operators of a condition on an aggregate in `having`. */
interface LabelTests {
  readonly eq?: number | string
  readonly ne?: number | string
  readonly lt?: number | string
  readonly le?: number | string
  readonly gt?: number | string
  readonly ge?: number | string
}

/** A query for groups. */
export interface GroupQuery<M extends AnyModel, G extends GivenOptions, By extends string, A>
  extends SendOptions {
  readonly where?: Where<M, G> | undefined
  readonly search?: string | undefined
  readonly groupBy?: readonly By[] | undefined
  readonly aggregate?: A | undefined
  /** Conditions on aggregates, by their names; a number or string alone is short for `{ eq: … }`. */
  readonly having?: { readonly [L in keyof NoInfer<A>]?: LabelTests | number | string } | undefined
  readonly orderBy?:
    | readonly `${'' | '-'}${NoInfer<By> | (keyof NoInfer<A> & string)}${Nulls}`[]
    | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly includeDeleted?: boolean | undefined
}

/** The value of a group's key P: a number for a year, a string such as `2024-05` for a month. */
type GroupKeyValue<M extends AnyModel, G extends GivenOptions, P> = P extends `year(${string})`
  ? number | null
  : P extends `${'month' | 'day'}(${string})`
    ? string | null
    : ValueAt<M, G, P>

/** The name of a key in the group: `author.country` → `country`, if it is unique. */
type GroupName<P, Names> = P extends keyof Names ? (Names[P] extends string ? Names[P] : P) : P

/** Sums and averages of bigints and decimals are strings. */
type Summed<C extends Shape> = C['type'] extends 'integer' | 'float' ? number : string

/** The value of an aggregate in a group. */
type AggregateValue<M extends AnyModel, A> = A extends { readonly count: unknown }
  ? number
  : A extends { readonly sum: infer K }
    ? Summed<FieldOf<M, K>> | null
    : A extends { readonly avg: infer K }
      ? Summed<FieldOf<M, K>> | null
      : A extends { readonly [F in 'min' | 'max']?: infer K }
        ? FieldValue<M, K> | null
        : never

/** One group: its keys by column, and its aggregates. */
export type Group<M extends AnyModel, G extends GivenOptions, By extends string, A> = {
  [P in By as GroupName<P, Named<M, G, Exclude<By, `${DatePart}(${string})`>>>]: GroupKeyValue<
    M,
    G,
    P
  >
} & { -readonly [L in keyof A]: AggregateValue<M, A[L]> }
