// The types of the host's functions in the configuration (contract §11); records use field names and JSON values. Types only.

import type { Kysely } from 'kysely'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { RecordOf } from '../model/infer.ts'

/** A record as hooks see it: field names, JSON values, hidden columns included. */
// biome-ignore lint/suspicious/noExplicitAny: the host knows the model, this type does not
export type HookRecord = Record<string, any>

/** The authenticated user's record, or the value that a custom strategy returned. */
// biome-ignore lint/suspicious/noExplicitAny: the host's own type
export type HookUser = any

/** The type of `user` in hooks if `API_USER_MODEL` is this model: its record, or null without a user. */
export type UserOf<M extends AnyModel> = string extends M['name'] ? HookUser : RecordOf<M> | null

/** A Kysely select query on the model's table, of the host's own instance. */
// biome-ignore lint/suspicious/noExplicitAny: the database of the query is the host's
export type HookQuery = any

type Awaitable<T> = T | Promise<T>

/** The information about the request that every hook receives. */
export interface HookArgs<User = HookUser> {
  /** `GET_MANY`, `GET_ONE`, `RELATION_GET_MANY`, `POST`, … */
  readonly action: string
  /** The authenticated user, or null. */
  readonly user: User
  readonly request: ApiRequest
  readonly model: AnyModel
  /** Whether a list is being served. */
  readonly many: boolean
  /** The relation that led here, or null. */
  readonly relation_name: string | null
  /**
   * The connection of this request, with the Kysely plugins of `db`; inside a write, its transaction. Hooks should run their
   * statements here: they are rolled back with the request, and need no further connection of the pool.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the host's own tables
  readonly db: Kysely<any>
  /** The stored record before a change, hidden columns included; null if there is none. */
  readonly before: HookRecord | null
}

/** Computes the value of a field that the body of a new record omits. */
export type DefaultFunction<User = HookUser> = (args: HookArgs<User>) => unknown
/** Runs first, before authentication. */
export type SetupCallback = (request: ApiRequest) => Awaitable<void>
/** Narrows the query of a read; returns the query. */
export type FilterCallback<User = HookUser> = (
  query: HookQuery,
  model: AnyModel,
  params: Readonly<Record<string, string>>,
  args: HookArgs<User>,
) => Awaitable<HookQuery>
/** Runs before a record is saved, changed or removed; returns the record. */
export type WriteCallback<User = HookUser> = (
  object: HookRecord,
  model: AnyModel,
  args: HookArgs<User>,
) => Awaitable<HookRecord>
/** Receives one serialised object, returns the one to send. */
export type DumpCallback<User = HookUser> = (
  data: HookRecord,
  args: HookArgs<User>,
) => Awaitable<HookRecord>
/** Receives the whole value of a response, returns the one to send. */
export type ReturnCallback<User = HookUser> = (
  result: JsonValue,
  args: HookArgs<User>,
) => Awaitable<JsonValue>
/** Receives the finished body, returns the one to send. */
export type FinalCallback = (body: JsonValue) => Awaitable<JsonValue>
/** Called for every failed request. */
export type ErrorCallback = (error: unknown, request: ApiRequest) => Awaitable<void>
