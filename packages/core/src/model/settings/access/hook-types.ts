// The types of the host's functions in the configuration (docs/guide/hooks.md), and of the arguments that they receive; records use field names and
// JSON values. Types only.

import type { Kysely } from 'kysely'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { AnyModel } from '../../define-model.ts'
import type { RecordOf, RowOf } from '../../infer.ts'
import type { ApiRequest } from '../../request.ts'
import type { SqlValues } from './sql-value-types.ts'

/** A record as hooks see it: field names, JSON values, hidden columns included. */
// biome-ignore lint/suspicious/noExplicitAny: the host knows the model, this type does not
export type HookRecord = Record<string, any>

/** The authenticated user's record, or the value that a custom strategy returned. */
// biome-ignore lint/suspicious/noExplicitAny: the host's own type
export type HookUser = any

/**
 * The type of `user` in hooks: the record of `API_USER_MODEL`; without one, the result of the custom strategy or of the API key
 * look-up; null without a user.
 */
export type UserOf<
  M extends AnyModel,
  CustomUser = unknown,
  KeyUser = unknown,
> = string extends M['name']
  ? UserGivenBy<CustomUser, KeyUser>
  : OtherUser<M, CustomUser> extends string
    ? // The mistake is an error of its own. It must not cause one in every hook as well.
      UserGivenBy<CustomUser, KeyUser>
    : API_USER_MODEL<M> | null

/** A record of the user model. Its name appears in compile errors about `user`, where it says which setting the type is from. */
type API_USER_MODEL<M extends AnyModel> = { [K in keyof RecordOf<M>]: RecordOf<M>[K] }

// `infer` keeps TypeScript from inferring what a strategy returns from a hook, whose user may be declared with another type.
type UserGivenBy<CustomUser, KeyUser> = [ReturnedUser<CustomUser> | ReturnedUser<KeyUser>] extends [
  infer User,
]
  ? [User] extends [never]
    ? HookUser
    : User | null
  : never

/**
 * A string type that names a member which a custom strategy returns although the user model does not have it, if the strategy also
 * leaves out columns of the model; else unknown. Only both together are a mistake: a record with additional members, and one
 * without some of its columns, are records of the model.
 */
export type OtherUser<M extends AnyModel, CustomUser> = string extends
  | M['name']
  | keyof ReturnedUser<CustomUser>
  ? unknown
  : [Exclude<keyof RowOf<M>, keyof ReturnedUser<CustomUser>>] extends [never]
    ? unknown
    : [Exclude<keyof ReturnedUser<CustomUser>, keyof RecordOf<M>>] extends [
          infer Name extends string,
        ]
      ? [Name] extends [never]
        ? unknown
        : `API_USER_MODEL has no column "${Name}", as the user of API_CUSTOM_AUTH`
      : unknown

/** The type of the user that a function of the host returns; never if it is not known. */
type ReturnedUser<T> = unknown extends T ? never : Exclude<T, boolean | '' | 0 | null | undefined>

/** A Kysely select query on the model's table, of the host's own instance. */
// biome-ignore lint/suspicious/noExplicitAny: the database of the query is the host's
export type HookQuery = any

/**
 * The typed client of the API (`@model-api/core/client`). The type of a hook does not know the models; the host names them:
 *
 * ```ts
 * const client: Client<Api<{ models: typeof models }>> = args.as.user
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the host knows the models, this type does not
export type HookClient = any

/** The clients of a hook. Inside a write, their requests run in its transaction. */
export interface HookClients {
  /** Sends requests as the caller of the request, with the caller's roles, rights and policies. */
  readonly user: HookClient
  /** Sends requests that no role, right of a column or policy restricts. Validation and hooks remain. */
  readonly system: HookClient
}

type Awaitable<T> = T | Promise<T>

/** The tables of `args.db`, if the host does not declare their types. */
// biome-ignore lint/suspicious/noExplicitAny: the host's own tables
export type HookTables = any

/**
 * The information about the request that every hook receives; `DB` is the Kysely interface of `args.db`, `Stored` the type of a stored
 * record.
 */
export interface HookArgs<User = HookUser, DB = HookTables, Stored = HookRecord> extends SqlValues {
  /** `GET_MANY`, `GET_ONE`, `RELATION_GET_MANY`, `POST`, … */
  readonly action: string
  /** The authenticated user, or null. */
  readonly user: User
  readonly request: ApiRequest
  readonly model: AnyModel
  /**
   * Whether the request reads a list, has a list as its body, or writes by filters. About records of a relation that are read:
   * whether the relation is to-many.
   */
  readonly many: boolean
  /** The relation through which the rows are reached, or null. */
  readonly relation_name: string | null
  /**
   * The connection of this request, with the Kysely plugins of `db`; inside a write, its transaction. Hooks should run their
   * statements here: they are rolled back with the request, and need no further connection of the pool.
   */
  readonly db: Kysely<DB>
  /** Clients of the API on the same connection. */
  readonly as: HookClients
  /**
   * Locks records until the transaction of the request ends: other transactions that lock or change one of them wait. Several keys are
   * locked in their order, so that requests that lock several do not wait for each other. A key without a record locks nothing. On SQLite,
   * where one transaction writes at a time, it makes sure that this one does.
   *
   * ```ts
   * add_callback: async (line, _model, { lock }) => {
   *   await lock('Invoice', line.invoice_id)
   *   return line
   * }
   * ```
   *
   * @param model The published model of the records, or its name. Another one is a TypeError.
   * @param key The primary key of a record, or a list of keys; an object of its columns where it has several.
   * @throws Error outside of a transaction, as in hooks of a GET; API errors of a database that is not available, or too slow.
   */
  readonly lock: (model: AnyModel | string, key: LockedKey | readonly LockedKey[]) => Promise<void>
  /** The stored record before a change, hidden columns included; null if there is none. */
  readonly before: Stored | null
}

/** A primary key of a record that a hook locks. */
export type LockedKey =
  | string
  | number
  | bigint
  | Readonly<Record<string, string | number | bigint>>

/**
 * What the callbacks setup, final and error receive about the request. Members that are not known when the callback is called are
 * null: setup runs before authentication, and some requests (`/auth/login`, the index, a 404) belong to no model.
 */
export interface RequestArgs<User = HookUser, DB = HookTables> {
  /** `GET_MANY`, `GET_ONE`, `RELATION_GET_MANY`, `POST`, …; null without a model. */
  readonly action: string | null
  /** The authenticated user; null before authentication, and without a user. */
  readonly user: User | null
  readonly request: ApiRequest
  readonly model: AnyModel | null
  /** Whether the request reads a list, has a list as its body, or writes by filters. */
  readonly many: boolean
  /** The relation through which the rows are reached, or null. */
  readonly relation_name: string | null
  /**
   * The connection of this request, as in `HookArgs`. The final callback of a write gets its transaction; the error callback does
   * not, because the transaction has been rolled back. Null if API_SESSION_GETTER has not been called yet.
   */
  readonly db: Kysely<DB> | null
  /** Clients of the API on the same connection. Before authentication `user` is nobody. */
  readonly as: HookClients
  /** Always null: these callbacks are called once for a request, not for a record. */
  readonly before: null
}

/** A record that a request has written, as it was before the request and as it is committed. */
export interface Change {
  /** Marking a record as deleted is `delete`, removing the mark is `restore`. */
  readonly action: 'create' | 'update' | 'delete' | 'restore'
  readonly model: AnyModel
  /** The values of its primary key, in the order of the model: `[7]`. */
  readonly key: readonly JsonValue[]
  /**
   * Where the request has the record, as paths of errors begin: `''` for the record of the URL or of the whole body, `'[3]'` in a list,
   * `'[3].comments[0]'` for a nested one; for a link that a list removes, that of the list. Null if the request does not name the
   * record: filters found it, or a cascade.
   */
  readonly path: string | null
  /** The operation of a batch, as `errors.at` names it: `'operations[2]'`; null outside of a batch. */
  readonly at: string | null
  /** The stored record before the request, hidden columns included; null if the request created it. */
  readonly before: HookRecord | null
  /** The committed record, hidden and computed columns included; null if its row is gone. */
  readonly after: HookRecord | null
  /**
   * The links that were added and removed, by many-to-many relation, for junction tables without a published model: `{ tags: {
   * added: [[3]], removed: [] } }`, each linked record by its key. A deleted record has the links that were removed with it; those
   * of a relation that only the other model declares are under both names, `Book.tags`. Absent if no links have changed. If the
   * junction table has a published model, its records appear as separate changes instead.
   */
  readonly links?: Readonly<Record<string, LinkChanges>>
}

/** The keys of the records that a record was linked to (`added`) and unlinked from (`removed`). */
export interface LinkChanges {
  readonly added: readonly (readonly JsonValue[])[]
  readonly removed: readonly (readonly JsonValue[])[]
}

/** The arguments of API_AFTER_COMMIT_CALLBACK; `db` is a connection outside of the request's transaction. */
export interface AfterCommitArgs<User = HookUser, DB = HookTables> extends HookArgs<User, DB> {
  /** False inside a transaction of the host, which may still roll the changes back. */
  readonly committed: boolean
}

/** Computes the value of a field that the body of a new record omits. */
export type DefaultFunction<User = HookUser, DB = HookTables> = (
  args: HookArgs<User, DB>,
) => unknown
/**
 * The values of the soft-delete column in an active record and in a deleted record: a value, `'now'` in a date or datetime
 * column, or a function, whose `args.before` is the record to be deleted.
 */
export type SoftDeleteValues<User = HookUser, DB = HookTables> = readonly [
  active: JsonValue,
  deleted: JsonValue | DefaultFunction<User, DB>,
]
/** Runs first, before authentication. */
export type SetupCallback<User = HookUser, DB = HookTables> = (
  request: ApiRequest,
  args: RequestArgs<User, DB>,
) => Awaitable<void>
/** Narrows the query of a read; returns the query. */
export type FilterCallback<User = HookUser, DB = HookTables> = (
  query: HookQuery,
  model: AnyModel,
  params: Readonly<Record<string, string>>,
  args: HookArgs<User, DB>,
) => Awaitable<HookQuery>
/** Runs before a record is saved, changed or removed; returns the record. */
export type WriteCallback<User = HookUser, DB = HookTables> = (
  object: HookRecord,
  model: AnyModel,
  args: HookArgs<User, DB>,
) => Awaitable<HookRecord>
/** Receives one serialised object, returns the one to send. */
export type DumpCallback<User = HookUser, DB = HookTables> = (
  data: HookRecord,
  args: HookArgs<User, DB>,
) => Awaitable<HookRecord>
/** Receives the whole value of a response, returns the one to send. */
export type ReturnCallback<User = HookUser, DB = HookTables> = (
  result: JsonValue,
  args: HookArgs<User, DB>,
) => Awaitable<JsonValue>
/** Called with all changes of a request before they are committed; a failure rolls them back. `db` is the transaction. */
export type BeforeCommitCallback<User = HookUser, DB = HookTables> = (
  changes: readonly Change[],
  args: HookArgs<User, DB>,
) => Awaitable<void>
/** Called with all changes of a request once they are committed; it is not awaited. */
export type AfterCommitCallback<User = HookUser, DB = HookTables> = (
  changes: readonly Change[],
  args: AfterCommitArgs<User, DB>,
) => Awaitable<void>
/** Receives the finished body, returns the one to send. */
export type FinalCallback<User = HookUser, DB = HookTables> = (
  body: JsonValue,
  args: RequestArgs<User, DB>,
) => Awaitable<JsonValue>
/** Called for every failed request. */
export type ErrorCallback<User = HookUser, DB = HookTables> = (
  error: unknown,
  request: ApiRequest,
  args: RequestArgs<User, DB>,
) => Awaitable<void>
