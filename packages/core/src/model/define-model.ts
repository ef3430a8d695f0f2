// defineModel and defineBase: model declarations as plain frozen data, from which the types of rows are inferred. They check nothing at run time:
// `createApi` checks all models together when it builds the registry.

import type { Expression, ExpressionBuilder, ExpressionWrapper } from 'kysely'
import { pluralSnake } from '../lib/naming/plural.ts'
import { didYouMean } from '../lib/naming/suggest.ts'
import type { DeclaredAggregates, NoAggregates } from './aggregates/declared-aggregate.ts'
import type { Column, ColumnRight, ColumnType, ItemType } from './column.ts'
import type { DeclaredRule, ExclusionRule } from './exclusions/exclusion-rule.ts'
import type { FullRow, TableRow } from './infer.ts'
import type { Relation } from './relation.ts'
import type {
  AddCallbackOf,
  ChangeCallbackOf,
  DumpCallbackOf,
  KnownColumns,
  RecordCallback,
} from './settings/access/callbacks-of-model.ts'
import type { HookTables, HookUser } from './settings/access/hook-types.ts'
import type { PolicyOption } from './settings/access/policy-of-model.ts'
import type { Meta } from './settings/meta.ts'

/** The columns of a model, by field name. */
export type Columns<User = HookUser> = Readonly<Record<string, Column<User>>>

/** A search by a full-text index of the database, which decides how text is split into words and what matches. */
export interface IndexedSearch<Field extends string = string> {
  /** The columns that are searched, by field names; the index covers them. */
  readonly columns: readonly Field[]
  /**
   * The index. PostgreSQL: a column of type `tsvector` of the table. MySQL and MariaDB: a FULLTEXT index over these columns.
   * SQLite: an FTS5 table whose rowid is the primary key.
   */
  readonly index: string
  /** PostgreSQL: the text search configuration that the `tsvector` was made with. Default `simple`. */
  readonly language?: string
}

/** The relations of a model, by relation key. */
export type Relations = Readonly<Record<string, Relation>>

/** The options of a computed column. */
export interface ComputedShape<User = HookUser> {
  readonly type: ColumnType
  /** Whether the expression may give NULL. Default false. */
  readonly nullable?: boolean
  readonly items?: ItemType
  readonly enum?: readonly string[]
  readonly precision?: number
  readonly scale?: number
  readonly hidden?: boolean
  /** Who may read it; for all others the column does not exist. Default: all who may read the record. */
  readonly read?: ColumnRight<User>
  readonly description?: string
  readonly format?: string
  readonly example?: unknown
}

/**
 * Refers to a column of the row for which an expression is computed, by its name in the database. Inside a subquery, `eb.ref` would
 * find a column of the same name in the subquery's table.
 */
export type OwnColumn<Row = Record<string, unknown>> = <Name extends keyof Row & string>(
  column: Name,
) => ExpressionWrapper<{ self: Row }, 'self', Row[Name]>

/**
 * A read-only SQL expression over the model's own unqualified columns (database names); it can be used wherever a column can. Policies
 * and soft delete do not apply to tables that a subquery reads.
 *
 * ```ts
 * expression: (_, self) => sql`(select count(*) from appointments where site_id = ${self('id')})`
 * ```
 */
export interface ComputedColumn<Row = Record<string, unknown>> extends ComputedShape {
  readonly expression: (
    eb: ExpressionBuilder<{ self: Row }, 'self'>,
    self: OwnColumn<Row>,
  ) => Expression<unknown>
}

/** A function of the model, called with a record of it: `check_password(user, password)`. */
// biome-ignore lint/suspicious/noExplicitAny: the further arguments depend on the setting that names the method
export type ModelMethod<Row> = (record: Row, ...args: any[]) => unknown

// `| undefined`: with `exactOptionalPropertyTypes`, the compiler would otherwise suggest to add it, at each mistake in a list of models.
/** A declared model. C are its columns, R its relations, P its computed columns, A its declared aggregates, as they were written. */
export interface Model<
  Name extends string = string,
  Table extends string = string,
  C extends Columns = Columns,
  R extends Relations = Relations,
  P extends Readonly<Record<string, ComputedShape>> = Readonly<Record<string, ComputedShape>>,
  Schema extends string = string,
  Unique extends readonly string[] = readonly string[],
  A extends DeclaredAggregates = DeclaredAggregates,
> {
  readonly name: Name
  /** The table in the database. */
  readonly table: Table
  /** The schema of the table; absent: the `schema` of createApi, else the connection's default. */
  readonly schema?: Schema | undefined
  readonly columns: C
  readonly relations: R
  readonly computed: P
  readonly aggregates: A
  /** Unique constraints of several columns, by field names; present only if there are any. */
  readonly unique?: readonly Unique[] | undefined
  /** What the records are, for the OpenAPI document; `meta.description` takes precedence. */
  readonly description?: string | undefined
  /** The rules by which no two records overlap; present only if there are any. */
  readonly exclude?: readonly DeclaredRule[] | undefined
  /** The columns that `search` looks in, by field names; present only if there are any. */
  readonly search?: readonly string[] | IndexedSearch | undefined
  /** A view, or a table that this API only reads; present only if it is true. */
  readonly readOnly?: boolean | undefined
  // biome-ignore lint/suspicious/noExplicitAny: see ModelMethod
  readonly methods: Readonly<Record<string, ModelMethod<any>>>
  /** If present, the model is published. */
  readonly meta?: Meta | undefined
}

/** Any model, whatever its columns. */
export type AnyModel = Model

/** A name in the database that is not a literal type, so that types of rows would not have it. */
type Widened = 'column of the type string'

/** The options of all columns in the union U; `Widened` is none of them, so that it makes the comparison in `Exact` fail. */
type OptionsOfAll<U> = U extends { readonly column: string }
  ? string extends U['column']
    ? Widened
    : keyof U
  : keyof U

/**
 * Makes a misspelt option of a column a compile error that names it; a type parameter alone would accept it. So it does with a name in the
 * database that a function has made a `string` of. It compares all options of a model at once, and column by column only if one is wrong,
 * which takes far fewer type instantiations.
 */
export type Exact<T, Option> = [OptionsOfAll<T[keyof T]>] extends [Option]
  ? unknown
  : {
      readonly [K in keyof T]: [keyof T[K]] extends [Option]
        ? [OptionsOfAll<T[K]>] extends [Option]
          ? T[K]
          : 'the option "column" is no literal type but string: let the function return it as a type parameter'
        : `a column has no option "${Exclude<keyof T[K], Option> & string}"`
    }

export type NoRelations = Readonly<Record<never, Relation>>
export type NoComputed = Readonly<Record<never, ComputedShape>>

/**
 * The second argument of `defineModel`. C are the columns in it, `All` these and those of its base, R its relations, P its computed columns, A its
 * aggregates, `Scope` the names in a `scope` object of its policy, `Returned` the names that its callbacks return.
 */
export interface ModelDefinition<
  Table extends string,
  C extends Columns,
  R extends Relations,
  P extends Readonly<Record<string, ComputedShape>>,
  All extends Columns = C,
  User = HookUser,
  Schema extends string = string,
  DB = HookTables,
  Scope extends string = string,
  Unique extends readonly (keyof All & string)[] = readonly (keyof All & string)[],
  A extends DeclaredAggregates = DeclaredAggregates,
  Returned extends string = string,
> {
  /** The table in the database. Default: the snake-case plural of the model's name. */
  readonly table?: Table
  /** The schema of the table (on MySQL and MariaDB: its database). Default: the `schema` of createApi, if any. */
  readonly schema?: Schema
  /** What the records are, for the OpenAPI document; `meta.description` takes precedence. Default: none. */
  readonly description?: string
  readonly columns: C & Exact<C, keyof Column>
  /** Unique constraints of several columns, such as `[['shelf', 'place']]`. For one column, set `unique: true` on the column. */
  readonly unique?: readonly Unique[]
  /**
   * A rule by which no two records overlap, or a list of rules. A write that would make two overlap is a 409. Default: none.
   *
   * ```ts
   * exclude: { technician_id: 'equal', period: ['starts_at', 'ends_at'] } // two appointments of a technician at one time → 409
   * ```
   */
  readonly exclude?:
    | ExclusionRule<NoInfer<keyof All & string>>
    | readonly ExclusionRule<NoInfer<keyof All & string>>[]
  /**
   * The columns that `search=` looks in: those of type `string`, `text` or `enum`, computed ones too. A record is found if
   * each word of the search occurs in one of them, in any letter case; with an `index`, if the index of the database finds
   * every word. Default: none, and `search` is a 400.
   *
   * ```ts
   * { search: ['title', 'description'] } // GET /api/books?search=white whale
   * { search: { columns: ['title', 'description'], index: 'book_search' } }
   * ```
   */
  readonly search?:
    | readonly NoInfer<(keyof All | keyof P) & string>[]
    | IndexedSearch<NoInfer<(keyof All | keyof P) & string>>
  readonly relations?: R
  /**
   * The model is a view, or a table that this API only reads: it has GET and no other method, whatever
   * `API_ALLOWED_METHODS` says, and the API does not look for its rows when a DELETE checks which records refer to the deleted
   * one. Default false. A model without a primary key is always read only.
   */
  readonly readOnly?: boolean
  readonly computed?: P & { readonly [name: string]: ComputedColumn<TableRow<All>> } & Exact<
      P,
      keyof ComputedColumn
    >
  /**
   * Read-only columns with counts, sums, averages and extremes of related records, made by `count`, `sum`, `avg`, `min` and `max`.
   * Default: none.
   *
   * ```ts
   * aggregates: { open_count: count('appointments', { status: 'open' }), total: sum('lines.amount') }
   * ```
   */
  readonly aggregates?: A
  // `NoInfer`, here and in `meta`: a function that takes any record or any model, such as `passwordCheck`, would decide the types otherwise.
  readonly methods?: { readonly [name: string]: ModelMethod<NoInfer<FullRow<All, P>>> }
  /** Settings of the model. If present, even as `{}`, the model is published. */
  readonly meta?: MetaOf<
    Model<string, Table, All, NoInfer<R>, NoInfer<P>, string, Unique, A>,
    User,
    DB,
    Scope,
    Returned
  >
}

type PlainMeta<User, DB> = Omit<Meta<User, DB>, 'access_policy' | RecordCallback>

/**
 * The meta of a model: `Meta`, with callbacks of records typed by the model, and a policy if it is a function of the model. `Returned`
 * are the names that the records which callbacks return have.
 */
export interface MetaOf<
  M extends AnyModel,
  User = HookUser,
  DB = HookTables,
  Scope extends string = string,
  Returned extends string = string,
> extends PlainMeta<User, DB> {
  /** Row-level access: a policy, a class, or `(model) => policy`, which is called once. Default: everything is allowed. */
  readonly access_policy?: PolicyOption<NoInfer<M>, User, Scope>
  // Members of the interface, not of a mapped type, because each model would take more type instantiations.
  readonly add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly get_add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly post_add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly patch_add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly put_add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly delete_add_callback?: KnownColumns<M, Returned> & AddCallbackOf<M, User, DB, Returned>
  readonly update_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly get_update_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly post_update_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly patch_update_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly put_update_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly delete_update_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly remove_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly get_remove_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly post_remove_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly patch_remove_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly put_remove_callback?: KnownColumns<M, Returned> & ChangeCallbackOf<M, User, DB, Returned>
  readonly delete_remove_callback?: KnownColumns<M, Returned> &
    ChangeCallbackOf<M, User, DB, Returned>
  readonly dump_callback?: DumpCallbackOf<M, User, DB>
  readonly get_dump_callback?: DumpCallbackOf<M, User, DB>
  readonly post_dump_callback?: DumpCallbackOf<M, User, DB>
  readonly patch_dump_callback?: DumpCallbackOf<M, User, DB>
  readonly put_dump_callback?: DumpCallbackOf<M, User, DB>
  readonly delete_dump_callback?: DumpCallbackOf<M, User, DB>
}

/** The columns of a base model and of a model; the model's own take precedence. */
export type Merged<Base extends Columns, Own extends Columns> = Omit<Base, keyof Own> & Own

/** Copies and freezes each member, so that a declaration cannot change while it is served. */
const frozen = <T extends Readonly<Record<string, object>>>(members: T | undefined): T =>
  // fromEntries keeps a member named `__proto__`, so that `createApi` reports it; an assignment would lose the member.
  Object.freeze(
    Object.fromEntries(
      Object.entries(members ?? {}).map(([name, member]) => [name, Object.freeze({ ...member })]),
    ),
  ) as T

/**
 * Declares a model.
 *
 * A model without a `primaryKey` column, such as a view, is served as a list: filters, orders, pages, groups and joins, but
 * no `GET /api/<collection>/<id>` and no writes.
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
  const Schema extends string = never,
  const Scope extends string = never,
  const Unique extends readonly (keyof C & string)[] = never,
  const A extends DeclaredAggregates = NoAggregates,
  const Returned extends string = never,
>(
  name: Name,
  definition: ModelDefinition<
    Table,
    C,
    R,
    P,
    C,
    HookUser,
    Schema,
    HookTables,
    Scope,
    Unique,
    A,
    Returned
  >,
): Model<Name, Table, C, R, P, Schema, Unique, A> {
  return Object.freeze({
    // createApi reports them, together with all other problems.
    ...unknownOptions(definition),
    name,
    table: (definition.table ?? pluralSnake(name)) as Table,
    ...(definition.schema === undefined ? {} : { schema: definition.schema }),
    columns: frozen<C>(definition.columns),
    relations: frozen<R>(definition.relations),
    computed: frozen<P>(definition.computed),
    aggregates: frozen<A>(definition.aggregates),
    methods: Object.freeze({ ...definition.methods }),
    ...(definition.description === undefined ? {} : { description: definition.description }),
    ...(definition.readOnly ? { readOnly: definition.readOnly } : {}),
    ...(definition.unique
      ? { unique: Object.freeze(definition.unique.map((set) => frozenSet(set))) }
      : {}),
    ...(isAbsent(definition.exclude) ? {} : { exclude: frozenRules(definition.exclude) }),
    ...(definition.search === undefined ? {} : { search: definition.search }),
    ...(isAbsent(definition.meta) ? {} : { meta: frozenMeta(definition.meta) as Meta }),
  })
}

/** The members of a model; `createApi` reports options that are not among them. */
export const modelOptions: { readonly [K in keyof Required<Model>]: true } = {
  name: true,
  table: true,
  schema: true,
  columns: true,
  unique: true,
  exclude: true,
  description: true,
  search: true,
  relations: true,
  readOnly: true,
  computed: true,
  aggregates: true,
  methods: true,
  meta: true,
}

/** Returns the misspelt options, which stay in the model until `createApi` reports them. */
const unknownOptions = (definition: object): object =>
  Object.fromEntries(
    Object.entries(definition).filter(([name]) => !Object.hasOwn(modelOptions, name)),
  )

const isAbsent = (option: unknown): option is undefined => option === undefined || option === null

/** Copies and freezes the rules; `createApi` reports those that are no objects. */
const frozenRules = (exclude: object): readonly DeclaredRule[] =>
  Object.freeze(
    [exclude].flat().map((rule) => (isPlainObject(rule) ? Object.freeze({ ...rule }) : rule)),
  ) as readonly DeclaredRule[]

const frozenSet = <S extends readonly string[]>(set: S): S =>
  Object.freeze([...set]) as readonly string[] as S

/** Copies and freezes meta. Another value than an object stays as it is; createApi reports it. */
const frozenMeta = (meta: object): object =>
  isPlainObject(meta) ? Object.freeze({ ...meta }) : meta

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Columns and settings that several models share. */
export interface BaseModel<C extends Columns = Columns, User = HookUser, DB = HookTables> {
  readonly columns: C
  readonly meta: Meta
  /** Every model defined so far, in order. */
  readonly models: readonly AnyModel[]
  /** Declares a model as `defineModel` does, with the base's columns first. If the model has meta, the base's meta gives the defaults. */
  define<
    const Name extends string,
    const Own extends Columns<User>,
    const R extends Relations = NoRelations,
    const P extends Readonly<Record<string, ComputedShape<User>>> = NoComputed,
    const Table extends string = string,
    const Schema extends string = never,
    const Scope extends string = never,
    const Unique extends readonly (keyof Merged<C, Own> & string)[] = never,
    const A extends DeclaredAggregates = NoAggregates,
    const Returned extends string = never,
  >(
    name: Name,
    definition: ModelDefinition<
      Table,
      Own,
      R,
      P,
      Merged<C, Own>,
      User,
      Schema,
      DB,
      Scope,
      Unique,
      A,
      Returned
    >,
  ): Model<Name, Table, Merged<C, Own>, R, P, Schema, Unique, A>
}

/**
 * Declares a base model. `API_BASE_MODEL: Base` then publishes the models that were defined with it, except those without meta
 * of their own.
 *
 * ```ts
 * const Base = defineBase({ columns: { created: { type: 'datetime', managed: 'created' } } })
 * const Book = Base.define('Book', { columns: { id: { type: 'integer', primaryKey: true } }, meta: {} })
 * ```
 */
export function defineBase<const C extends Columns>(base: {
  readonly columns: C & Exact<C, keyof Column>
  readonly meta?: Meta
}): BaseModel<C> {
  checkBase(base)
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
        ...(isPlainObject(definition.meta) ? { meta: { ...meta, ...definition.meta } } : {}),
      })
      models.push(model)
      return model
    },
  })
}

/** Throws for an unknown option or a wrong meta. createApi cannot report them, because it gets only the base that is API_BASE_MODEL. */
function checkBase(base: object): void {
  const known = ['columns', 'meta']
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined) continue
    if (!known.includes(name)) {
      throw new Error(`defineBase: unknown option "${name}".${didYouMean(name, known)}`)
    }
    if (name === 'meta' && !isPlainObject(value)) {
      throw new Error('defineBase: meta must be an object of settings.')
    }
  }
}
