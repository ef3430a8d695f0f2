// Column: the declaration of a model's column, as the host passes it to `defineModel`; plain data. The registry makes a `NamedColumn` of it.

import type { JsonValue } from '../lib/json/json-value.ts'
import type { RoleRule } from './settings/access/access-types.ts'
import type { DefaultFunction, HookArgs, HookUser } from './settings/access/hook-types.ts'
import type { StandardSchema } from './standard-schema.ts'

/**
 * The column types and their JSON types in requests and responses. Their forms in each database:
 * https://github.com/model-api/model-api/blob/main/docs/reference/model-options.md
 */
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
  /** Items of the type that the column's `items` names; each may be null. */
  list: unknown[]
  opaque: string
}

/** The value of the option `type`. */
export type ColumnType = keyof ColumnTypes

/** The types that the items of a list can have. */
export type ItemType = Exclude<ColumnType, 'json' | 'binary' | 'list' | 'opaque'>

/** The types of values at paths into a `json` column. */
export type JsonPathType = 'text' | 'integer' | 'float' | 'boolean'

/** Paths into a `json` column, keys joined by dots, and the type of the value at each. */
export type JsonPaths = Readonly<Record<string, JsonPathType>>

/** Checks a value that a client has sent; the record and the arguments of hooks follow. Returns whether it is valid, or a message. */
type ValidatorFunction<User> = (
  // biome-ignore lint/suspicious/noExplicitAny: the host declares the value and the row type of a validator
  ...given: [value: any, row: any, args: HookArgs<User>]
) => boolean | string | Promise<boolean | string>

/** Makes the stored form of a value that a client has sent: `hashPassword`. */
type TransformFunction<User> = (
  // biome-ignore lint/suspicious/noExplicitAny: the host declares the value of its column
  ...given: [value: any, args: HookArgs<User>]
) => JsonValue | Promise<JsonValue>

/**
 * Who may read or write a column: a role rule, as in API_ROLE_MAP (`'editor'`, `['editor', 'auditor']` for both,
 * `{ roles: [...], any_of: true }`, `true` for any authenticated caller), or a function of the hook arguments.
 *
 * A function returns true or false, or a promise of one; anything else, and an error, gives 500. It is called at most once
 * per request and model, before the query and the body are read, so `many` is false, `relation_name` and `before` are null. A
 * `write` function is called twice for an upsert: with the action `POST` for new records, and with `PATCH` for stored ones.
 *
 * ```ts
 * { type: 'decimal', scale: 2, read: 'accountant', write: ({ user }) => user?.department === 'payroll' }
 * ```
 */
export type ColumnRight<User = HookUser> =
  | RoleRule
  | ((args: HookArgs<User>) => boolean | Promise<boolean>)

/** One declared column. Only `type` is required. Every option: https://github.com/model-api/model-api/blob/main/docs/reference/model-options.md */
export interface Column<User = HookUser> {
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
  /** Minimum length of a string or text, in characters. */
  readonly minLength?: number
  /** The smallest value of a number; of a bigint or decimal also as text (`'0.01'`). */
  readonly minimum?: number | string
  /** The largest value of a number. */
  readonly maximum?: number | string
  /** A number must be larger than this one. */
  readonly exclusiveMinimum?: number | string
  /** A number must be smaller than this one. */
  readonly exclusiveMaximum?: number | string
  /**
   * An integer or bigint without negative values. A bigint of MySQL and MariaDB then holds up to 18446744073709551615, elsewhere
   * 9223372036854775807. Default false.
   */
  readonly unsigned?: boolean
  /** Total digits of a decimal. Default 15 if `scale` is given; without both, the number of digits is unlimited. */
  readonly precision?: number
  /** Digits after the point of a decimal; each value is written with exactly this many. */
  readonly scale?: number
  /** The type of the items of a `list` column: one of the types that are compared by value. */
  readonly items?: ItemType
  /** The members of an `enum` column, or of a list of them. */
  readonly enum?: readonly string[]
  /**
   * Paths into a `json` column that clients can filter, order, group and select by, as `<column>.<path>`. The value is null
   * if the document has nothing at the path, null, or a value of another JSON type.
   *
   * ```ts
   * { type: 'json', json: { 'address.city': 'text', 'stats.score': 'integer' } } // meta.address.city__eq=Berlin
   * ```
   */
  readonly json?: JsonPaths
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
  /**
   * Clients can send it in the bodies of POST, PATCH and PUT, and for everything else it is `hidden`: no response contains it, and no
   * query can name it. PUT keeps the stored value if the body lacks the column. A value that is sent is always stored, also if it equals
   * the stored one. It excludes `hidden`, `readOnly: true`, `read`, `generated`, `managed`, `primaryKey`, `unique` and the type `json`,
   * and such a column is in no `search`, unique set or relation. Default false.
   *
   * ```ts
   * { type: 'string', column: 'password_hash', minLength: 12, writeOnly: true, transform: hashPassword }
   * ```
   */
  readonly writeOnly?: boolean
  /**
   * Only with `writeOnly: true`: makes the stored form of a value that a client has sent. It receives the value and the arguments of
   * hooks, and returns a value of the column's type, or a promise of one. It is called once for each value other than null, after the
   * type, the limits and the validator have accepted the value as it was sent, and if the body has no problems. Hooks, policies and the
   * database receive only the result, to which `maxLength` and the other limits do not apply.
   *
   * An ApiError that it throws is the response; any other error is a 500. Default: the value is stored as it was sent.
   *
   * ```ts
   * { type: 'string', writeOnly: true, transform: (pin: string, { user }) => encrypt(pin, user.id) }
   * ```
   */
  readonly transform?: TransformFunction<User>
  /**
   * Clients set it in a new record, and cannot change it afterwards: not by PATCH, PUT or an upsert. Hooks can. Default false.
   *
   * ```ts
   * { type: 'integer', immutable: true } // PATCH with another value: 400, "This field is set only in a new record."
   * ```
   */
  readonly immutable?: boolean
  /**
   * Who may read it. For all others the column does not exist: they can neither read, filter, order, group nor write it,
   * and a relation that is joined by it does not exist either. Default: all who may read the record.
   */
  readonly read?: ColumnRight<User>
  /** Who may write it, among those who may read it; for all others it is read-only. Default: all who may write the record. */
  readonly write?: ColumnRight<User>
  /** The service sets the value: when the record is created, or whenever it changes. */
  readonly managed?: 'created' | 'updated'
  /** The value of a new record without one: a JSON value, or a function that returns one or a promise of one. */
  readonly default?: JsonValue | DefaultFunction<User>
  /** The database has a default for the column. */
  readonly hasDefault?: boolean
  /** With `hasDefault`: the JSON value of that default, for the OpenAPI document; the database still fills it in. */
  readonly databaseDefault?: JsonValue
  readonly description?: string
  /** Documentation format; `uri` also validates. */
  readonly format?: string
  /**
   * A validator's name, a function, or a Standard Schema. A function receives the value, the whole record and the arguments of
   * hooks. It returns (or resolves to) true, false, or a message for the client.
   */
  readonly validator?: string | ValidatorFunction<User> | StandardSchema
  /** The message when validation fails. */
  readonly validator_message?: string
  readonly example?: unknown
}
