// The type of a result: a record as a query selects it. Types only. F are the paths of its `fields`, I is its `include`, D its `dump`, A its
// `aggregate`: `fields: ['title', 'author.name']` gives `{ title: string; name: string | null }`.

import type { AnyModel } from '../model/define-model.ts'
import type { ValueOf, WholeRow } from './aggregate-types.ts'
import type {
  ColumnAt,
  Dotted,
  FieldName,
  GivenOptions,
  IsMany,
  OwnName,
  RelationName,
  Target,
} from './model-fields.ts'
import type { AggregatedMembers, AggregatesIn } from './query/related-types.ts'

/** Makes one object type of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] }

/** The value of an embedded relation: records, or one record or null. */
type Related<M extends AnyModel, K, Row> = IsMany<M, K> extends true ? Row[] : Row | null

/** The name of each path of `F` in a response: the last column name if it is unique, else the whole path. */
export type Named<M extends AnyModel, G extends GivenOptions, F> = Names<{
  [P in F & string]: ColumnAt<M, G, P>
}>

/** Columns are the last column names by path. A name that another path has too is not unique. */
type Names<Columns> = {
  [P in keyof Columns]: Columns[P] extends Columns[Exclude<keyof Columns, P>]
    ? Dotted<P>
    : Columns[P]
}

/** The type of the value at a path; also null if the path follows a relation, which may lead to no record. */
export type ValueAt<M extends AnyModel, G extends GivenOptions, P> =
  P extends OwnName<M>
    ? ValueOf<M, G, P>
    : P extends `${infer R}.${infer C}`
      ? ValueAt<Target<M, G, R>, G, C> | null
      : never

/** The members that `fields` selects. */
type Projected<M extends AnyModel, G extends GivenOptions, F extends string> = [F] extends [
  FieldName<M>,
]
  ? { [P in F]: ValueOf<M, G, P> }
  : { [P in F as Named<M, G, F>[P] & string]: ValueAt<M, G, P> }

/** The `fields` and the `include` in the options of an embedded relation. */
type FieldsIn<O> = O extends { readonly fields: readonly (infer F extends string)[] } ? F : never
type IncludeIn<O> = O extends { readonly include: infer I } ? I : NonNullable<unknown>

/** The members that `include` adds. */
type Included<M extends AnyModel, G extends GivenOptions, I> = {
  -readonly [K in keyof I]: Related<
    M,
    K,
    Row<Target<M, G, K>, G, FieldsIn<I[K]>, IncludeIn<I[K]>, 'none', AggregatesIn<I[K]>>
  >
}

/** A relation that is written as a URL. */
type Linked<M extends AnyModel, K> = IsMany<M, K> extends true ? string : string | null

/** The members that `dump` adds: `url` writes URLs, `json` records, `hybrid` URLs of lists and the records of to-one relations. */
type Dumped<M extends AnyModel, G extends GivenOptions, D> = {
  [K in RelationName<M, G>]: D extends 'url'
    ? Linked<M, K>
    : D extends 'hybrid'
      ? IsMany<M, K> extends true
        ? string
        : WholeRow<Target<M, G, K>, G> | null
      : Related<M, K, WholeRow<Target<M, G, K>, G>>
}

/** What `include` adds to whole records; without `include`, what `D` adds: nothing (`unknown`) for `none`. */
type LinkedOrEmbedded<M extends AnyModel, G extends GivenOptions, I, D> = [keyof I] extends [never]
  ? D extends 'none'
    ? unknown
    : Dumped<M, G, D>
  : Included<M, G, I>

/** A record in a response: all visible columns or those of `F`, the relations that `I` or `D` embeds, and the aggregates `A`. */
export type Row<M extends AnyModel, G extends GivenOptions, F extends string, I, D, A = unknown> = [
  F,
] extends [never]
  ? [keyof I | keyof A] extends [never]
    ? D extends 'none'
      ? WholeRow<M, G>
      : Flat<WholeRow<M, G> & Dumped<M, G, D>>
    : Flat<WholeRow<M, G> & LinkedOrEmbedded<M, G, I, D> & AggregatedMembers<M, G, A>>
  : [keyof A] extends [never]
    ? Flat<Projected<M, G, F> & Included<M, G, I>>
    : Flat<Projected<M, G, F> & Included<M, G, I> & AggregatedMembers<M, G, A>>
