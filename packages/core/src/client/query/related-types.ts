// Aggregates of related records in a query (`aggregate: { open: { count: 'appointments' } }`): the check of the option, and the members that it adds
// to results and conditions. Types only.

import type { AnyModel } from '../../model/define-model.ts'
import type { AggregateFunction } from '../../model/query-words/operators.ts'
import type { AggregateShape, AggregateValue, EndOf } from '../aggregate-types.ts'
import type { FieldName, GivenOptions, RelationName, Shape } from '../model-fields.ts'
import type { Exactly, Misspelt, Mistake } from './mistakes.ts'
import type { ColumnCondition, Valued, Where } from './where-types.ts'

/** The option for aggregates of related records. `A` is what is given, so only its paths are followed. */
export interface Aggregating<M extends AnyModel, G extends GivenOptions, A> {
  /**
   * Aggregates of related records, by the names that they have in results, conditions and orders.
   *
   * ```ts
   * await client.sites.list({
   *   aggregate: { open: { count: 'appointments', where: { status: 'open' } }, spent: { sum: 'appointments.bills.amount' } },
   *   where: { open: { gt: 0 } },
   *   orderBy: ['-open'],
   * })
   * ```
   */
  readonly aggregate?: (A & CheckedAggregates<M, G, A>) | undefined
}

/** The type `A`, but each mistake in it has an error type with its name. */
export type CheckedAggregates<M extends AnyModel, G extends GivenOptions, A> =
  string extends FieldName<M>
    ? unknown
    : {
        readonly [L in keyof A]: L extends TakenName<M, G>
          ? Mistake<`"${L & string}" is the name of another member`>
          : CheckedAggregate<M, G, A[L]>
      }

/** The names of members of a record and of groups of conditions. */
type TakenName<M extends AnyModel, G extends GivenOptions> =
  | FieldName<M>
  | RelationName<M, G>
  | 'or'
  | 'and'
  | 'not'

/** One aggregate, such as `{ count: 'appointments', where: { … } }`, with error types in place of mistakes. */
type CheckedAggregate<M extends AnyModel, G extends GivenOptions, One> = OneFunction<
  FunctionIn<One>
> & {
  readonly [K in keyof One]: K extends AggregateFunction
    ? [AggregateShape<K, EndOf<M, G, One[K]>>] extends [never]
      ? NoSuch<K, One[K]>
      : One[K]
    : K extends 'where'
      ? EndIn<M, G, One> extends { readonly model: infer End extends AnyModel }
        ? Exactly<Where<End, G>, One[K]>
        : never
      : Misspelt<K>
}

/** The function of one aggregate: `count` for `{ count: 'appointments' }`. */
type FunctionIn<One> = keyof One & AggregateFunction

/** `unknown`, which adds nothing to an intersection, if the aggregate has exactly one function; otherwise an error type. */
type OneFunction<Fn, All = Fn> = [Fn] extends [never]
  ? Mistake<'count, sum, avg, min or max'>
  : Fn extends unknown
    ? [All] extends [Fn]
      ? unknown
      : Mistake<'only one of count, sum, avg, min and max'>
    : never

/** The error type of an aggregate whose path leads to one record, or to a column without this function. */
type NoSuch<Fn, P> = Fn extends 'count'
  ? Mistake<`"${P & string}" does not lead to several records`>
  : Mistake<`"${P & string}" has no ${Fn & string} over several records`>

/** Where the path of one aggregate leads. */
type EndIn<M extends AnyModel, G extends GivenOptions, One> = EndOf<M, G, One[FunctionIn<One>]>

/** The declaration that a column with the values of one aggregate would have. */
type ShapeIn<M extends AnyModel, G extends GivenOptions, One> = AggregateShape<
  FunctionIn<One>,
  EndIn<M, G, One>
>

/** The value of one aggregate in a record. */
type ValueIn<M extends AnyModel, G extends GivenOptions, One> = AggregateValue<
  FunctionIn<One>,
  EndIn<M, G, One>
>

/** The aggregates in the options of an embedded relation; `unknown`, which has no members, if there are none. */
export type AggregatesIn<O> = O extends { readonly aggregate: infer A } ? A : unknown

/** The members of a record that aggregates add. */
export type AggregatedMembers<M extends AnyModel, G extends GivenOptions, A> = {
  -readonly [L in keyof A]: ValueIn<M, G, A[L]>
}

/** The conditions that aggregates add; `unknown`, which adds nothing to an intersection, if there are none. */
export type LabelConditions<M extends AnyModel, G extends GivenOptions, A> = [keyof A] extends [
  never,
]
  ? unknown
  : {
      readonly [L in keyof A]?: ColumnCondition<
        ShapeIn<M, G, A[L]> & Shape,
        Valued<ValueIn<M, G, A[L]>>
      >
    }
