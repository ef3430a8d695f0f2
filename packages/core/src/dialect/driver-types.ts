// DatabaseOf: the Kysely interface of models, for statements of the application. Contains the types of values as Kysely's drivers return
// and take them, by the database and the column type: a datetime of PostgreSQL is a Date. Types only.

import type { ColumnType as KyselyColumn } from 'kysely'
import type { Column, ColumnType } from '../model/column.ts'
import type { AnyModel, Columns } from '../model/define-model.ts'
import type { DbFilled, KyselyTableName, Renamed, TableOf } from '../model/infer.ts'

/** The databases whose drivers have types: `mysql` also for MariaDB. */
export type DriverName = 'sqlite' | 'postgres' | 'mysql'

/** What the type of a value depends on. */
type Shape = Pick<Column, 'type' | 'nullable' | 'enum' | 'items' | 'storage'>

/** The types whose values are strings on every database. */
interface Texts {
  readonly string: string
  readonly text: string
  readonly uuid: string
  readonly enum: string
  readonly time: string
}

/** Each database has a type of value for each column type; an interface that lacks one does not compile. */
type OfEachType = Readonly<Record<DriverName, Readonly<Record<ColumnType, unknown>>>>

/** What `better-sqlite3`, `node:sqlite`, `pg` and `mysql2` return if no options or parsers say otherwise. */
interface Returned extends OfEachType {
  readonly sqlite: Texts & {
    readonly integer: number
    readonly bigint: number
    readonly float: number
    readonly decimal: number
    readonly boolean: number
    readonly date: string
    readonly datetime: string
    readonly json: string
    readonly binary: Uint8Array
    readonly list: unknown
    readonly opaque: unknown
  }
  readonly postgres: Texts & {
    readonly integer: number
    readonly bigint: string
    readonly float: number
    readonly decimal: string
    readonly boolean: boolean
    readonly date: Date
    readonly datetime: Date
    readonly json: unknown
    readonly binary: Uint8Array
    readonly list: unknown
    readonly opaque: unknown
  }
  readonly mysql: Texts & {
    readonly integer: number
    readonly bigint: number
    readonly float: number
    readonly decimal: string
    readonly boolean: number
    readonly date: Date
    readonly datetime: Date
    readonly json: unknown
    readonly binary: Uint8Array
    readonly list: unknown
    readonly opaque: unknown
  }
}

/** What the drivers take besides what they return. */
interface Taken {
  readonly sqlite: { readonly bigint: bigint | string; readonly decimal: string }
  readonly postgres: {
    readonly bigint: bigint | number
    readonly decimal: number
    readonly date: string
    readonly datetime: string
  }
  readonly mysql: {
    readonly bigint: bigint | string
    readonly decimal: number
    readonly boolean: boolean
    readonly date: string
    readonly datetime: string
  }
}

/** Items of PostgreSQL's arrays, as `pg` returns them; it returns arrays of enums as text. */
type Items<C> = C extends { readonly items: infer Item extends keyof Returned['postgres'] }
  ? Item extends 'enum'
    ? string
    : (Returned['postgres'][Item] | null)[]
  : unknown

type ReturnedValue<C extends Shape, D extends DriverName> = C['type'] extends 'enum'
  ? C extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : string
  : D extends 'postgres'
    ? C['type'] extends 'list'
      ? Items<C>
      : Returned['postgres'][C['type']]
    : D extends 'sqlite'
      ? C extends { readonly type: 'decimal'; readonly storage: 'text' }
        ? string
        : Returned['sqlite'][C['type']]
      : Returned[D][C['type']]

type TakenValue<C extends Shape, D extends DriverName> =
  | ReturnedValue<C, D>
  | (C['type'] extends keyof Taken[D] ? Taken[D][C['type']] : never)

type OrNull<C extends Shape, T> = C extends { readonly nullable: true } ? T | null : T

/** A column of a table of Kysely. */
type DriverColumn<C extends Shape, D extends DriverName> = KyselyColumn<
  OrNull<C, ReturnedValue<C, D>>,
  OrNull<C, TakenValue<C, D>> | (C extends DbFilled ? undefined : never),
  OrNull<C, TakenValue<C, D>>
>

/** One table by database names, with the values that the drivers of a database return and take. */
type DriverTable<C extends Columns, D extends DriverName> = {
  [K in keyof C as C[K] extends Renamed ? C[K]['column'] : K]: DriverColumn<C[K], D>
}

/**
 * The Kysely interface of the listed models, by database names.
 *
 * It contains only models that declare `table`, because the default name of a table is not a literal type. The table of a model
 * that declares a `schema` is `schema.table`, as in `db.selectFrom('stock.books')`.
 *
 * With the name of the database (`mysql` also for MariaDB) values have the types that `better-sqlite3`, `node:sqlite`, `pg` and `mysql2`
 * return and take by default; a column of type `json` is unknown on servers. Without that name, values have the types of JSON, which is
 * right for what `toRow` and `toColumn` return, but not for all that is read.
 *
 * ```ts
 * type DB = DatabaseOf<[typeof Author, typeof Book], 'postgres'>
 * const db = new Kysely<DB>({ dialect })
 * const { created_at } = await db.selectFrom('books').select('created_at').executeTakeFirstOrThrow() // a Date
 * ```
 */
export type DatabaseOf<Models extends readonly AnyModel[], Driver extends DriverName = never> = [
  Driver,
] extends [never]
  ? { [M in Models[number] as KyselyTableName<M>]: TableOf<M['columns']> }
  : { [M in Models[number] as KyselyTableName<M>]: DriverTable<M['columns'], Driver> }
