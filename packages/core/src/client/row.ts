// The type of a result: a record as `fields`, `include` and `dump` select it. Types only.

import type { AnyModel } from '../model/define-model.ts'
import type { RowOf } from '../model/infer.ts'
import type {
  ColumnAt,
  Dotted,
  FieldName,
  FieldValue,
  Given,
  IsMany,
  OwnName,
  RelationName,
  Target,
} from './model-fields.ts'

type Flat<T> = { [K in keyof T]: T[K] }

type Related<M extends AnyModel, K, Row> = IsMany<M, K> extends true ? Row[] : Row | null

/** The name of each path of `F` in a response: the last column name if it is unique, else the whole path. */
export type Named<M extends AnyModel, G extends Given, F> = Names<{
  [P in F & string]: ColumnAt<M, G, P>
}>

type Names<Columns> = {
  [P in keyof Columns]: Columns[P] extends Columns[Exclude<keyof Columns, P>]
    ? Dotted<P>
    : Columns[P]
}

/** The type of the value at a path; also null if the path follows a relation, which may lead to no record. */
export type ValueAt<M extends AnyModel, G extends Given, P> =
  P extends OwnName<M>
    ? FieldValue<M, P>
    : P extends `${infer R}.${infer C}`
      ? ValueAt<Target<M, G, R>, G, C> | null
      : never

type Projected<M extends AnyModel, G extends Given, F extends string> = [F] extends [FieldName<M>]
  ? { [P in F]: FieldValue<M, P> }
  : { [P in F as Named<M, G, F>[P] & string]: ValueAt<M, G, P> }

type FieldsIn<O> = O extends { readonly fields: readonly (infer F extends string)[] } ? F : never
type IncludeIn<O> = O extends { readonly include: infer I } ? I : NonNullable<unknown>

type Included<M extends AnyModel, G extends Given, I> = {
  -readonly [K in keyof I]: Related<
    M,
    K,
    Row<Target<M, G, K>, G, FieldsIn<I[K]>, IncludeIn<I[K]>, 'none'>
  >
}

type Linked<M extends AnyModel, K> = IsMany<M, K> extends true ? string : string | null

type Dumped<M extends AnyModel, G extends Given, D> = {
  [K in RelationName<M, G>]: D extends 'url'
    ? Linked<M, K>
    : D extends 'hybrid'
      ? IsMany<M, K> extends true
        ? string
        : RowOf<Target<M, G, K>> | null
      : Related<M, K, RowOf<Target<M, G, K>>>
}

/** A record in a response: all visible columns or those of `F`, and the relations that `I` or `D` embeds. */
export type Row<M extends AnyModel, G extends Given, F extends string, I, D> = [F] extends [never]
  ? [keyof I] extends [never]
    ? D extends 'none'
      ? RowOf<M>
      : Flat<RowOf<M> & Dumped<M, G, D>>
    : Flat<RowOf<M> & Included<M, G, I>>
  : Flat<Projected<M, G, F> & Included<M, G, I>>
