// defineModel and defineBase: model declarations as plain frozen data, from which the types of rows are inferred.

import type { Expression, ExpressionBuilder } from 'kysely'
import type { Meta } from '../config/meta.ts'
import { pluralSnake } from '../naming/plural.ts'
import type { Column, ColumnType } from './column.ts'
import type { FullRow, TableRow } from './infer.ts'
import type { Relation } from './relation.ts'

/** The columns of a model, by field name. */
export type Columns = Readonly<Record<string, Column>>

/** The relations of a model, by relation key. */
export type Relations = Readonly<Record<string, Relation>>

/** The options of a computed column. */
export interface ComputedShape {
  readonly type: ColumnType
  /** Whether the expression may give NULL. Default false. */
  readonly nullable?: boolean
  readonly enum?: readonly string[]
  readonly precision?: number
  readonly scale?: number
  readonly hidden?: boolean
  readonly description?: string
  readonly format?: string
  readonly example?: unknown
}

/** A read-only SQL expression over the model's own unqualified columns (database names); usable wherever a column is. */
export interface ComputedColumn<Row = Record<string, unknown>> extends ComputedShape {
  readonly expression: (eb: ExpressionBuilder<{ self: Row }, 'self'>) => Expression<unknown>
}

/** A function of the model, called with a record of it: `check_password(user, password)`. */
// biome-ignore lint/suspicious/noExplicitAny: the further arguments depend on the setting that names the method
export type ModelMethod<Row> = (record: Row, ...args: any[]) => unknown

/** A declared model. */
export interface Model<
  Name extends string = string,
  Table extends string = string,
  C extends Columns = Columns,
  R extends Relations = Relations,
  P extends Readonly<Record<string, ComputedShape>> = Readonly<Record<string, ComputedShape>>,
> {
  readonly name: Name
  /** The table in the database. */
  readonly table: Table
  readonly columns: C
  readonly relations: R
  readonly computed: P
  /** Unique constraints of several columns, by field names; present only if there are any. */
  readonly unique?: readonly (readonly string[])[]
  // biome-ignore lint/suspicious/noExplicitAny: see ModelMethod
  readonly methods: Readonly<Record<string, ModelMethod<any>>>
  /** Present: the model is published. */
  readonly meta?: Meta
}

/** Any model, whatever its columns. */
export type AnyModel = Model

/** Makes a misspelt option of a column a compile error that names it; a type parameter alone would accept it. */
type Exact<T, Shape> = {
  readonly [K in keyof T]: [Exclude<keyof T[K], keyof Shape>] extends [never]
    ? T[K]
    : `a column has no option "${Exclude<keyof T[K], keyof Shape> & string}"`
}

type NoRelations = Readonly<Record<never, Relation>>
type NoComputed = Readonly<Record<never, ComputedShape>>

/** The second argument of `defineModel`. */
export interface ModelDefinition<
  Table extends string,
  C extends Columns,
  R extends Relations,
  P extends Readonly<Record<string, ComputedShape>>,
  Inherited extends Columns = NoColumns,
> {
  /** The table in the database. Default: the snake-case plural of the model's name. */
  readonly table?: Table
  readonly columns: C & Exact<C, Column>
  /** Unique constraints of several columns, such as `[['shelf', 'place']]`; one column says `unique: true` itself. */
  readonly unique?: readonly (readonly (keyof Merged<Inherited, C> & string)[])[]
  readonly relations?: R
  readonly computed?: P & {
    readonly [K in keyof P]: ComputedColumn<TableRow<Merged<Inherited, C>>>
  } & Exact<P, ComputedColumn>
  readonly methods?: Readonly<Record<string, ModelMethod<FullRow<Merged<Inherited, C>, P>>>>
  /** Settings of the model; present, if only as `{}`, it publishes the model. */
  readonly meta?: Meta
}

export type NoColumns = Readonly<Record<never, Column>>

/** The columns of a base model and of a model; the model's own take precedence. */
export type Merged<Base extends Columns, Own extends Columns> = Omit<Base, keyof Own> & Own

/** Copies and freezes each member, so that a declaration cannot change while it is served. */
const frozen = <T extends Readonly<Record<string, object>>>(members: T | undefined): T =>
  // fromEntries keeps a member named __proto__, which start-up then refuses; an assignment would lose it.
  Object.freeze(
    Object.fromEntries(
      Object.entries(members ?? {}).map(([name, member]) => [name, Object.freeze({ ...member })]),
    ),
  ) as T

/**
 * Declares a model.
 *
 * ```ts
 * export const Author = defineModel('Author', {
 *   table: 'authors',
 *   columns: {
 *     id: { type: 'integer', primaryKey: true, generated: true },
 *     name: { type: 'string', maxLength: 120 },
 *   },
 *   relations: { books: hasMany('Book', 'author_id') },
 *   meta: { allow_join: true },
 * })
 * ```
 */
export function defineModel<
  const Name extends string,
  const C extends Columns,
  const R extends Relations = NoRelations,
  const P extends Readonly<Record<string, ComputedShape>> = NoComputed,
  const Table extends string = string,
>(name: Name, definition: ModelDefinition<Table, C, R, P>): Model<Name, Table, C, R, P> {
  return Object.freeze({
    name,
    table: (definition.table ?? pluralSnake(name)) as Table,
    columns: frozen<C>(definition.columns),
    relations: frozen<R>(definition.relations),
    computed: frozen<P>(definition.computed),
    methods: Object.freeze({ ...definition.methods }),
    ...(definition.unique
      ? { unique: Object.freeze(definition.unique.map((set) => Object.freeze([...set]))) }
      : {}),
    ...(definition.meta ? { meta: Object.freeze({ ...definition.meta }) } : {}),
  })
}

/** Columns and settings that several models share. */
export interface BaseModel<C extends Columns = Columns> {
  readonly columns: C
  readonly meta: Meta
  /** Every model defined so far, in order. */
  readonly models: readonly AnyModel[]
  /** `defineModel` with the base's columns first, and its meta as defaults where the model has meta itself. */
  define<
    const Name extends string,
    const Own extends Columns,
    const R extends Relations = NoRelations,
    const P extends Readonly<Record<string, ComputedShape>> = NoComputed,
    const Table extends string = string,
  >(
    name: Name,
    definition: ModelDefinition<Table, Own, R, P, C>,
  ): Model<Name, Table, Merged<C, Own>, R, P>
}

/**
 * Declares a base model. `API_BASE_MODEL: Base` then publishes what was defined with it; a model without meta of its own
 * stays unpublished, as everywhere.
 *
 * ```ts
 * const Base = defineBase({ columns: { created: { type: 'datetime', managed: 'created' } } })
 * const Book = Base.define('Book', { columns: { id: { type: 'integer', primaryKey: true } }, meta: {} })
 * ```
 */
export function defineBase<const C extends Columns>(base: {
  readonly columns: C & Exact<C, Column>
  readonly meta?: Meta
}): BaseModel<C> {
  const models: AnyModel[] = []
  const meta: Meta = Object.freeze({ ...base.meta })
  return Object.freeze({
    columns: frozen<C>(base.columns),
    meta,
    models,
    // biome-ignore lint/suspicious/noExplicitAny: the signature in BaseModel is the typed one
    define(name: string, definition: any): any {
      const model = defineModel(name, {
        ...definition,
        columns: { ...base.columns, ...definition.columns },
        ...(definition.meta ? { meta: { ...meta, ...definition.meta } } : {}),
      })
      models.push(model)
      return model
    },
  })
}
