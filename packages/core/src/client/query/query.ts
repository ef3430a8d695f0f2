// The types of query objects: what `list`, `get` and the other methods of a client take: `{ where, orderBy, limit }` (`Selection`, `Paging`) and
// `{ fields, include, dump }` (`Form`). Types only.

import type { AnyModel } from '../../model/define-model.ts'
import type {
  AggregateName,
  ColumnAt,
  FieldName,
  FieldOf,
  GivenOptions,
  GroupableName,
  OwnName,
  RelationName,
  Target,
  ToOneName,
  Unordered,
} from '../model-fields.ts'
import type { Exactly, Misspelt } from './mistakes.ts'
import type { AggregatesIn, CheckedAggregates, LabelConditions } from './related-types.ts'
import type { Where } from './where-types.ts'

/** The columns whose values can be compared with one another, so that rows can be ordered by them. */
type ComparedName<M extends AnyModel> = {
  [K in GroupableName<M>]: FieldOf<M, K>['type'] extends Unordered ? never : K
}[GroupableName<M>]

/** The columns and aggregates that rows can be ordered by. */
type SortableName<M extends AnyModel> = ComparedName<M> | AggregateName<M>

/** Where null values come; with neither suffix, they are larger than all other values. */
export type Nulls = '' | '.nullsfirst' | '.nullslast'
type Direction = '' | '-'

/** `'price'`, `'-price'`, `'price.nullsfirst'`. */
export type OwnOrder<M extends AnyModel> = `${Direction}${SortableName<M>}${Nulls}`

/** An order that cursors can page, by columns of the model and of its to-one relations: `'-author.name'`, `'author.name.nullsfirst'`. */
export type CursorOrder<M extends AnyModel, G extends GivenOptions> =
  | `${Direction}${ComparedName<M>}${Nulls}`
  | {
      [K in ToOneName<M, G>]: `${Direction}${K}.${ComparedName<Target<M, G, K>>}${Nulls}`
    }[ToOneName<M, G>]

/** An order of records, also by declared aggregates. */
export type Order<M extends AnyModel, G extends GivenOptions> =
  | OwnOrder<M>
  | {
      [K in ToOneName<M, G>]: `${Direction}${K}.${SortableName<Target<M, G, K>>}${Nulls}`
    }[ToOneName<M, G>]

/** An order by an aggregate of the query. */
type LabelOrder<A> = `${Direction}${keyof A & string}${Nulls}`

/** A column of the model or of a relation: `'title'`, `'author.name'`; longer paths are checked by `Existing`. */
export type FieldPath<M extends AnyModel, G extends GivenOptions> =
  | OwnName<M>
  | { [K in RelationName<M, G>]: `${K}.${OwnName<Target<M, G, K>>}` }[RelationName<M, G>]
  | `${RelationName<M, G>}.${string}.${string}`

/** `F` if it names a column, else `never`. Only checks paths along several relations: `FieldPath` lists the columns of shorter paths. */
type Existing<
  M extends AnyModel,
  G extends GivenOptions,
  F,
> = F extends `${string}.${string}.${string}`
  ? [ColumnAt<M, G, F>] extends [never]
    ? never
    : F
  : F

/** An error type if `fields` has paths into json columns, which the client cannot select from whole records. */
type PathsBesideInclude<F> = [Extract<F, `${string}->${string}`>] extends [never]
  ? unknown
  : { readonly 'paths into json columns cannot be chosen beside include': never }

/**
 * The options of an embedded relation; order and limit apply to to-many relations, for each parent. `ExactOptions` checks the names of
 * `aggregate`, and where conditions and orders have them.
 */
export interface IncludeOptions<M extends AnyModel, G extends GivenOptions> {
  readonly fields?: readonly FieldName<M>[] | undefined
  /** Aggregates of records that are related to the embedded ones. */
  readonly aggregate?: Readonly<Record<string, object>> | undefined
  readonly where?: Where<M, G> | Readonly<Record<string, unknown>> | undefined
  readonly orderBy?: readonly (OwnOrder<M> | (string & NonNullable<unknown>))[] | undefined
  readonly limit?: number | undefined
  readonly include?: Include<M, G> | undefined
}

/** The relations whose records are embedded. */
export type Include<M extends AnyModel, G extends GivenOptions> = {
  readonly [K in RelationName<M, G>]?: true | IncludeOptions<Target<M, G, K>, G>
}

/** The type of `include`, but each misspelt member has an error type with its name. */
type ExactInclude<M extends AnyModel, G extends GivenOptions, I> = {
  readonly [K in keyof I]: K extends RelationName<M, G>
    ? I[K] extends true
      ? true
      : ExactOptions<Target<M, G, K>, G, I[K]>
    : Misspelt<K>
}

/** The type of the options of one embedded relation, `O`, with error types in place of mistakes. */
type ExactOptions<M extends AnyModel, G extends GivenOptions, O> = {
  readonly [K in keyof O]: K extends 'limit' | 'fields'
    ? O[K]
    : K extends 'aggregate'
      ? CheckedAggregates<M, G, O[K]>
      : K extends 'where'
        ? Exactly<Where<M, G, LabelConditions<M, G, AggregatesIn<O>>>, O[K]>
        : K extends 'orderBy'
          ? readonly (OwnOrder<M> | LabelOrder<AggregatesIn<O>>)[]
          : K extends 'include'
            ? ExactInclude<M, G, O[K]>
            : Misspelt<K>
}

/** How relations outside of `include` are written: `none` omits them, the others are values of the parameter `dump`. */
export type Dump = 'none' | 'url' | 'json' | 'hybrid'

/** How the total is counted (the parameter `count`). */
export type Count = 'exact' | 'capped' | 'none'

/** The options of every request. */
export interface SendOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** Headers of this request; they take precedence over those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The host's own query parameters (`API_ADDITIONAL_QUERY_PARAMS`). */
  readonly params?: Readonly<Record<string, string>> | undefined
}

/**
 * The parts of a query that do not change the type of its result; `A` are the aggregates of related records in it, `By` the terms of its
 * order.
 */
export interface Selection<
  M extends AnyModel,
  G extends GivenOptions,
  A = unknown,
  By = Order<M, G> | LabelOrder<NoInfer<A>>,
> extends SendOptions {
  readonly where?: Where<M, G, LabelConditions<M, G, NoInfer<A>>> | undefined
  /** Words that must all occur in the columns that the model declares for `search`; an empty string is not sent. */
  readonly search?: string | undefined
  readonly orderBy?: readonly By[] | undefined
  /** Of the records that are equal in these columns, only the first by `orderBy`, which must begin with them. */
  readonly distinctOn?: readonly ComparedName<M>[] | undefined
  /** Records of a page. */
  readonly limit?: number | undefined
  readonly count?: Count | undefined
  /** Includes soft-deleted records. */
  readonly includeDeleted?: boolean | undefined
}

/** Which page of a list is read: by number, or by the cursor of another page. */
export interface Paging {
  readonly page?: number | undefined
  /** Pages by cursor: the result then has the cursors of the neighbouring pages. */
  readonly paging?: 'cursor' | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** Which parts of each record are read. */
export interface Form<M extends AnyModel, G extends GivenOptions, F, I, D> {
  /** Exactly these columns. */
  readonly fields?: readonly (F & Existing<M, G, F>)[] | undefined
  /** Related records to embed. */
  readonly include?: (I & ExactInclude<M, G, I> & PathsBesideInclude<F>) | undefined
  readonly dump?: D | undefined
}
