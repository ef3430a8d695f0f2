// The types inferred from a model: `RowOf`, `NewRowOf` and `PatchOf` with JSON values by field name, for hooks and the typed client; `TableOf` by
// database name, for Kysely. Types only. C are columns, P computed columns, A aggregates.

import type { ColumnType as KyselyColumn } from 'kysely'
import type { DeclaredAggregates } from './aggregates/declared-aggregate.ts'
import type { Column, ColumnTypes, ItemType } from './column.ts'
import type { AnyModel, Columns, ComputedShape } from './define-model.ts'

type Shape = Pick<Column, 'type' | 'nullable' | 'enum' | 'items'>

/** The members of an enum as a union; `string` if they are not literal types. */
type Members<C> = C extends { readonly enum: readonly (infer Member)[] } ? Member : string

/** The type of the items of a list. */
type Items<C> = C extends { readonly items: infer Item extends ItemType }
  ? Item extends 'enum'
    ? Members<C>
    : ColumnTypes[Item]
  : unknown

/** The JSON form of a column's value; `enum` narrows to its members, `list` to its items. */
type Value<C extends Shape> = C['type'] extends 'enum' | 'list'
  ? Narrowed<C>
  : ColumnTypes[C['type']]

type Narrowed<C extends Shape> = C['type'] extends 'enum' ? Members<C> : (Items<C> | null)[]

/** The JSON form of a column's value, or null if the column is nullable. */
type Json<C extends Shape> = C extends { readonly nullable: true } ? Value<C> | null : Value<C>

type Shapes = Readonly<Record<string, Shape>>

/** Makes one object type of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] }

/** Columns that clients cannot read. */
type Hidden = { readonly hidden: true } | { readonly writeOnly: true }

/** Columns that clients cannot write. */
type Unwritable =
  | { readonly hidden: true }
  | { readonly readOnly: true }
  | { readonly generated: true | 'uuid' }
  | { readonly managed: 'created' | 'updated' }

/** Columns that a new record may omit. They include columns with a right, because some callers may not write them. */
type Optional =
  | { readonly read: NonNullable<unknown> }
  | { readonly write: NonNullable<unknown> }
  | { readonly nullable: true }
  | { readonly hasDefault: true }
  | { readonly default: NonNullable<unknown> | null }

/** Columns that clients set in a new record only. */
type Unchangeable = { readonly primaryKey: true } | { readonly immutable: true }

/** Columns that some callers may not read, so that a record may lack them. */
type Withheld = { readonly read: NonNullable<unknown> }
/** Every other column. A test of a whole union by it takes one instantiation, where `Extract` takes one for each column. */
type ReadByAll = { readonly type: unknown; readonly read?: undefined }

/** A record with hidden columns, as hooks and model methods see it. */
export type FullRow<C extends Columns, P extends Readonly<Record<string, ComputedShape>>> = {
  -readonly [K in keyof (C & P)]: Json<(C & P)[K]>
}

/** The members that every caller's records have. */
type CommonPart<C extends Shapes> = {
  -readonly [K in keyof C as C[K] extends Hidden | Withheld ? never : K]: Json<C[K]>
}

/** The members that a record has for some callers only. */
type WithheldPart<C extends Shapes> = {
  -readonly [K in keyof C as C[K] extends Hidden
    ? never
    : C[K] extends Withheld
      ? K
      : never]?: Json<C[K]>
}

// Most models have no `read` rules. For them, this avoids flattening an intersection, whose members TypeScript computes twice.
type VisibleRow<C extends Shapes> = C[keyof C] extends ReadByAll
  ? CommonPart<C>
  : Flat<CommonPart<C> & WithheldPart<C>>

/** The value of a declared aggregate; without the related model, the type of its column is unknown. */
export type Aggregated<D> = D extends { readonly function: 'count' }
  ? number
  : number | string | null

type AggregatedValues<A extends DeclaredAggregates> = { readonly [K in keyof A]: Aggregated<A[K]> }

/** The declared aggregates that records contain, with the types `V` of their values. */
export type AggregatePart<
  A extends DeclaredAggregates,
  V extends Readonly<Record<keyof A, unknown>>,
> = {
  -readonly [K in keyof A as A[K] extends { readonly sent: false } | Withheld ? never : K]: V[K]
} & {
  -readonly [K in keyof A as A[K] extends { readonly sent: false }
    ? never
    : A[K] extends Withheld
      ? K
      : never]?: V[K]
}

/**
 * A resource object: visible columns, computed columns and declared aggregates, by field name, in JSON form; optional if they have a `read`
 * rule.
 */
export type RowOf<M extends AnyModel> = [keyof M['aggregates']] extends [never]
  ? ColumnRow<M>
  : Flat<ColumnRow<M> & AggregatePart<M['aggregates'], AggregatedValues<M['aggregates']>>>

/** `RowOf` without the declared aggregates. */
export type ColumnRow<M extends AnyModel> = VisibleRow<M['columns'] & M['computed']>

/**
 * A record as hooks and model methods see it: `RowOf` with the hidden and write-only columns, and without optional members.
 *
 * ```ts
 * API_AFTER_COMMIT_CALLBACK: (changes) => changes.map(({ after }) => after as RecordOf<typeof Book> | null)
 * ```
 */
export type RecordOf<M extends AnyModel> = FullRow<M['columns'], M['computed']>

/** The required fields of a new record. */
type RequiredPart<C extends Columns> = {
  -readonly [K in keyof C as C[K] extends Unwritable | Optional ? never : K]: Json<C[K]>
}

/** The optional fields of a new record. */
type OptionalPart<C extends Columns> = {
  -readonly [K in keyof C as C[K] extends Unwritable
    ? never
    : C[K] extends Optional
      ? K
      : never]?: Json<C[K]>
}

/**
 * The body of a POST: the fields a client may write, optional if they are nullable or have a default. It knows only the model, not
 * whether it is API_USER_MODEL, whose `roles` are read-only for clients: declare `readOnly: true` on them to omit them here.
 */
export type NewRowOf<M extends AnyModel> = Flat<
  RequiredPart<M['columns']> & OptionalPart<M['columns']>
>

/** The fields of a PATCH. */
type Changeable<C extends Columns> = {
  -readonly [K in keyof C as C[K] extends Unwritable | Unchangeable ? never : K]?: Json<C[K]>
}

/** The body of a PATCH: any of the fields that a client may write, except the key and what is `immutable`. For `roles` of users see `NewRowOf`. */
export type PatchOf<M extends AnyModel> = Changeable<M['columns']>

/** A column whose name in the database differs from the field name. */
export type Renamed = { readonly column: string }

/** Columns that an insert may omit because the database fills them. */
export type DbFilled = { readonly generated: true } | { readonly hasDefault: true }

/** One table by database names, in the form of Kysely's table interfaces. */
export type TableOf<C extends Columns> = {
  [K in keyof C as C[K] extends Renamed ? C[K]['column'] : K]: C[K] extends DbFilled
    ? KyselyColumn<Json<C[K]>, Json<C[K]> | undefined, Json<C[K]>>
    : Json<C[K]>
}

/** One selected row by database names. */
export type TableRow<C extends Columns> = {
  [K in keyof C as C[K] extends Renamed ? C[K]['column'] : K]: Json<C[K]>
}

/** The schema that a model declares; never if it declares none, `string` if it is not a literal type. */
type SchemaOf<M extends AnyModel> = Exclude<M['schema'], undefined>

/** The table name as a literal type, with the schema if the model declares one. */
export type QualifiedTable<M extends AnyModel> = [SchemaOf<M>] extends [never]
  ? M['table']
  : string extends SchemaOf<M>
    ? M['table']
    : `${SchemaOf<M>}.${M['table']}`

/** `never` for a model with the default table name; DatabaseOf omits such models. */
export type KyselyTableName<M extends AnyModel> = string extends M['table']
  ? never
  : QualifiedTable<M>
