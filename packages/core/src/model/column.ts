// Column: the declaration of a model's column; plain data with the specification's metadata keys.

import type { DefaultFunction, HookArgs } from '../config/hook-types.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { StandardSchema } from './standard-schema.ts'

/** The column types and their JSON types in requests and responses; `docs/models.md` has their forms in each database. */
export interface ColumnTypes {
  integer: number
  bigint: string
  float: number
  decimal: string
  boolean: boolean
  string: string
  text: string
  date: string
  datetime: string
  time: string
  uuid: string
  json: unknown
  binary: string
  enum: string
}

export type ColumnType = keyof ColumnTypes

type ValidatorFunction = (
  // biome-ignore lint/suspicious/noExplicitAny: the host declares the value and the row type of a validator
  ...given: [value: any, row: any, args: HookArgs]
) => boolean | string | Promise<boolean | string>

/** One declared column. Only `type` is required. `docs/models.md` shows every option. */
export interface Column {
  /** How the value is stored, compared and written in JSON. */
  readonly type: ColumnType
  /** Part of the primary key; keys may be composite. Default false. */
  readonly primaryKey?: boolean
  /** The database generates the value (`true`), or the service a UUID (`'uuid'`). Default false. */
  readonly generated?: boolean | 'uuid'
  /** May hold NULL. Default false. */
  readonly nullable?: boolean
  /** A unique constraint of one column exists. Default false. */
  readonly unique?: boolean
  /** Maximum length in characters. */
  readonly maxLength?: number
  /** Total digits of a decimal. Default 15 where `scale` is given; without both it holds any number. */
  readonly precision?: number
  /** Digits after the point of a decimal; each value is written with exactly this many. */
  readonly scale?: number
  /** The members of an `enum` column. */
  readonly enum?: readonly string[]
  /** The column's name in the database, if it differs from the field name. */
  readonly column?: string
  /** `'database'`: compare and order text by the column's own collation, using its index; results then differ between databases. */
  readonly collation?: 'database'
  /** `'text'`: a decimal stored as text on a database without exact decimals. */
  readonly storage?: 'text'
  /**
   * Clients can neither read, filter, order, group nor write it. Default false, but true for columns of API_USER_MODEL
   * whose names look like credentials (`password_hash`, `api_token`); on other models those get a warning.
   */
  readonly hidden?: boolean
  /** Clients can read but not write it. Default false. */
  readonly readOnly?: boolean
  /** Set by the service: when the record is created, or whenever it changes. */
  readonly managed?: 'created' | 'updated'
  /** The value of a new record without one: a JSON value, or a function that returns one or a promise of one. */
  readonly default?: JsonValue | DefaultFunction
  /** The database has a default of its own. */
  readonly hasDefault?: boolean
  readonly description?: string
  /** Documentation format; `uri` also validates. */
  readonly format?: string
  /**
   * A validator's name, a function, or a Standard Schema. A function receives the value, the whole record and the arguments
   * of hooks; it returns (or resolves to) true, or false or a message that says what is wrong.
   */
  readonly validator?: string | ValidatorFunction | StandardSchema
  /** The message when validation fails. */
  readonly validator_message?: string
  readonly example?: unknown
}
