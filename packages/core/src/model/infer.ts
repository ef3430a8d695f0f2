// The types inferred from a model: rows with JSON values by field name, and the Kysely interface by database name. Types only.

import type { ColumnType as KyselyColumn } from 'kysely'
import type { Column, ColumnTypes } from './column.ts'
import type { AnyModel, Columns, ComputedShape } from './define-model.ts'

type Shape = Pick<Column, 'type' | 'nullable' | 'enum'>

/** The JSON form of a column's value; `enum` narrows to its members. */
type Value<C extends Shape> = C['type'] extends 'enum'
  ? C extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : string
  : ColumnTypes[C['type']]

type Json<C extends Shape> = C extends { readonly nullable: true } ? Value<C> | null : Value<C>

type Flat<T> = { [K in keyof T]: T[K] }

type Hidden = { readonly hidden: true }

/** A client never writes these (contract §8). */
type Unwritable =
  | Hidden
  | { readonly readOnly: true }
  | { readonly generated: true | 'uuid' }
  | { readonly managed: 'created' | 'updated' }

/** A new record may leave these out. */
type Optional =
  | { readonly nullable: true }
  | { readonly hasDefault: true }
  | { readonly default: NonNullable<unknown> | null }

type WritableKey<C extends Columns> = {
  [K in keyof C]: C[K] extends Unwritable ? never : K
}[keyof C]

type OptionalKey<C extends Columns> = {
  [K in keyof C]: C[K] extends Optional ? K : never
}[keyof C]

type KeyField<C extends Columns> = {
  [K in keyof C]: C[K] extends { readonly primaryKey: true } ? K : never
}[keyof C]

/** A record with hidden columns, as hooks and model methods see it. */
export type FullRow<C extends Columns, P extends Readonly<Record<string, ComputedShape>>> = Flat<
  { -readonly [K in keyof C]: Json<C[K]> } & { -readonly [K in keyof P]: Json<P[K]> }
>

/** A resource object: visible columns and computed columns, by field name, in JSON forms. */
export type RowOf<M extends AnyModel> = Flat<
  {
    -readonly [K in keyof M['columns'] as M['columns'][K] extends Hidden ? never : K]: Json<
      M['columns'][K]
    >
  } & {
    -readonly [K in keyof M['computed'] as M['computed'][K] extends Hidden ? never : K]: Json<
      M['computed'][K]
    >
  }
>

/** A record as hooks and model methods see it: RowOf with the hidden columns. */
export type RecordOf<M extends AnyModel> = FullRow<M['columns'], M['computed']>

/** The body of a POST: the fields a client may write, optional if they are nullable or have a default. */
export type NewRowOf<M extends AnyModel> = Flat<
  {
    -readonly [K in Exclude<WritableKey<M['columns']>, OptionalKey<M['columns']>>]: Json<
      M['columns'][K]
    >
  } & {
    -readonly [K in Extract<WritableKey<M['columns']>, OptionalKey<M['columns']>>]?: Json<
      M['columns'][K]
    >
  }
>

/** The body of a PATCH: any of what a client may write, the key excepted. */
export type PatchOf<M extends AnyModel> = Flat<{
  -readonly [K in Exclude<WritableKey<M['columns']>, KeyField<M['columns']>>]?: Json<
    M['columns'][K]
  >
}>

type DbName<K, C> = C extends { readonly column: infer Name extends string } ? Name : K

/** Columns that an insert may omit because the database fills them. */
type DbFilled = { readonly generated: true } | { readonly hasDefault: true }

/** One table by database names, as Kysely wants it. */
export type TableOf<C extends Columns> = {
  [K in keyof C as DbName<K, C[K]> & string]: C[K] extends DbFilled
    ? KyselyColumn<Json<C[K]>, Json<C[K]> | undefined, Json<C[K]>>
    : Json<C[K]>
}

/** One selected row by database names. */
export type TableRow<C extends Columns> = {
  [K in keyof C as DbName<K, C[K]> & string]: Json<C[K]>
}

/** The table name as a literal type; never for a model with the default table name, which is therefore not in DatabaseOf. */
type Named<M extends AnyModel> = string extends M['table'] ? never : M['table']

/**
 * The Kysely interface of the listed models, by database names.
 *
 * Only models that say `table` are in it: TypeScript cannot form English plurals.
 *
 * ```ts
 * type DB = DatabaseOf<[typeof Author, typeof Book]>
 * const db = new Kysely<DB>({ dialect })
 * ```
 */
export type DatabaseOf<Models extends readonly AnyModel[]> = {
  [M in Models[number] as Named<M>]: TableOf<M['columns']>
}
