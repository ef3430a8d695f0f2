// The names of a model that a client can use: its visible fields, its relations and their targets. Types only. In all types of the client, M is
// the model, G the options of the API with all models, K a name, P a path.

import type { Column, ColumnType, ColumnTypes, JsonPaths } from '../model/column.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { ColumnRow } from '../model/infer.ts'

/**
 * The options of an API, which contain its models. Passing this type on costs TypeScript the same for any number of models, unlike
 * a list of models.
 */
export interface GivenOptions {
  readonly models?: readonly AnyModel[]
}

/** The options that the API `A` was made with. */
export type GivenOptionsOf<A> = A extends { readonly '~given'?: infer G extends GivenOptions }
  ? G
  : never

/** `{ Author: typeof Author; Book: typeof Book }` */
type ByName<Models extends readonly AnyModel[]> = {
  readonly [M in Models[number] as M['name']]: M
}

// TypeScript recomputes the keys of a mapped type with `as` at each use, but the keys of a copy only once.
type Copy<T> = { readonly [K in keyof T]: T[K] }

/** The models of an API by name. */
export type ModelsOf<G extends GivenOptions> = G extends {
  readonly models: infer Models extends readonly AnyModel[]
}
  ? Copy<ByName<Models>>
  : Readonly<Record<string, AnyModel>>

/** The options of a column that decide the type of its values and the operators of its conditions. */
export type Shape = Pick<Column, 'type' | 'nullable' | 'enum' | 'items' | 'storage'>

/** The column types that rows cannot be ordered or grouped by. */
export type Unordered = Extract<ColumnType, 'json' | 'binary' | 'list' | 'opaque'>

/** The column types that have sums and averages. */
export type Numeric = Extract<ColumnType, 'integer' | 'bigint' | 'float' | 'decimal'>

/** The names of the columns that some client may read. */
type VisibleName<C> = {
  [K in keyof C]: C[K] extends { readonly hidden: true } | { readonly writeOnly: true } ? never : K
}[keyof C] &
  string

/** The names of the declared aggregates. */
export type AggregateName<M extends AnyModel> = keyof M['aggregates'] & string

/** The names of the members of a record, besides its relations: of visible columns, computed ones, and declared aggregates. */
export type FieldName<M extends AnyModel> =
  | VisibleName<M['columns']>
  | VisibleName<M['computed']>
  | AggregateName<M>

/** The columns of the primary key. */
export type KeyName<M extends AnyModel> = {
  [K in VisibleName<M['columns']>]: M['columns'][K] extends { readonly primaryKey: true }
    ? K
    : never
}[VisibleName<M['columns']>]

/** The declared paths into all json columns of C. */
type PathsIn<C> = {
  [K in VisibleName<C>]: C[K] extends { readonly json: infer P }
    ? `${K}->${keyof P & string}`
    : never
}[VisibleName<C>]

/** The declared paths into json columns: `'profile->address.city'`. The arrow distinguishes them from paths along relations. */
export type JsonPath<M extends AnyModel> = [
  Extract<M['columns'][keyof M['columns']], { readonly json: JsonPaths }>,
] extends [never]
  ? never
  : PathsIn<M['columns']>

/** The names of a model's values in fields, conditions and orders. */
export type OwnName<M extends AnyModel> = FieldName<M> | JsonPath<M>

/** The names of what groups, `distinctOn` and aggregates can take: those values but the declared aggregates. */
export type GroupableName<M extends AnyModel> = [AggregateName<M>] extends [never]
  ? OwnName<M>
  : string extends AggregateName<M>
    ? OwnName<M>
    : Exclude<OwnName<M>, AggregateName<M>>

/** The declaration of a column, or of a path into one. */
export type FieldOf<M extends AnyModel, K> = K extends keyof M['columns']
  ? M['columns'][K]
  : K extends keyof M['computed']
    ? M['computed'][K]
    : K extends `${infer C}->${infer P}`
      ? FieldOf<M, C> extends { readonly json: infer Paths }
        ? { readonly type: Paths[P & keyof Paths] & keyof ColumnTypes; readonly nullable: true }
        : never
      : never

/** The value of a column, or of a path into one. */
export type FieldValue<M extends AnyModel, K> = K extends keyof ColumnRow<M>
  ? ColumnRow<M>[K]
  : K extends JsonPath<M>
    ? ColumnTypes[FieldOf<M, K>['type']] | null
    : never

/** The relations whose targets are models of the API. */
export type RelationName<M extends AnyModel, G extends GivenOptions> = {
  [K in keyof M['relations']]: M['relations'][K]['target'] extends keyof ModelsOf<G> ? K : never
}[keyof M['relations']] &
  string

/** The relations that lead to at most one record. */
export type ToOneName<M extends AnyModel, G extends GivenOptions> = {
  [K in keyof M['relations']]: M['relations'][K]['target'] extends keyof ModelsOf<G>
    ? IsMany<M, K> extends true
      ? never
      : K
    : never
}[keyof M['relations']] &
  string

/** Whether a relation is to-many. */
export type IsMany<M extends AnyModel, K> = K extends keyof M['relations']
  ? M['relations'][K]['kind'] extends 'hasMany' | 'manyToMany'
    ? true
    : false
  : never

/** The model that a relation leads to. */
export type Target<M extends AnyModel, G extends GivenOptions, K> = K extends keyof M['relations']
  ? M['relations'][K]['target'] extends infer Name extends keyof ModelsOf<G>
    ? ModelsOf<G>[Name] extends AnyModel
      ? ModelsOf<G>[Name]
      : never
    : never
  : never

/** A path as responses write it, with a dot instead of `->`: `'profile.address.city'`. */
export type Dotted<P> = P extends `${infer C}->${infer Path}` ? `${C}.${Path}` : P

/** The column at the end of a path, or the path into a json column there: `author.name` → `name`. `never` if there is none. */
export type ColumnAt<M extends AnyModel, G extends GivenOptions, P> =
  P extends OwnName<M>
    ? Dotted<P>
    : P extends `${infer R}.${infer C}`
      ? R extends RelationName<M, G>
        ? ColumnAt<Target<M, G, R>, G, C>
        : never
      : never
