// What the callables of the configuration receive and return (contract §11); hook objects use field names and JSON forms. Types only.

import type { Kysely } from 'kysely'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { RecordOf } from '../model/infer.ts'

/** A record as hooks see it: field names, JSON forms, hidden columns included. */
// biome-ignore lint/suspicious/noExplicitAny: the author knows the model, this type does not
export type HookRecord = Record<string, any>

/** The authenticated user's record, or whatever a custom strategy returned. */
// biome-ignore lint/suspicious/noExplicitAny: the author's own type
export type HookUser = any

/** What hooks know as `user` where `API_USER_MODEL` is this model: its record, or null for nobody. */
export type UserOf<M extends AnyModel> = string extends M['name'] ? HookUser : RecordOf<M> | null

/** A Kysely select query on the model's table, of the user's own instance. */
// biome-ignore lint/suspicious/noExplicitAny: the database of the query is the author's
export type HookQuery = any

type Awaitable<T> = T | Promise<T>

/** What a hook is told of the request it serves. */
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
   * The connection of this request, with the plugins of its author; inside a write its transaction. Statements of a hook
   * go here: what they write is rolled back with the request, and they never wait for another connection.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the author's own tables
  readonly db: Kysely<any>
  /** The stored record before a change, hidden columns included; null where there is none. */
  readonly before: HookRecord | null
}

/** Makes the value that a new record gets where none was sent. */
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
/** Receives the whole value of an answer, returns the one to send. */
export type ReturnCallback<User = HookUser> = (
  result: JsonValue,
  args: HookArgs<User>,
) => Awaitable<JsonValue>
/** Receives the finished body, returns the one to send. */
export type FinalCallback = (body: JsonValue) => Awaitable<JsonValue>
/** Is told of every failure. */
export type ErrorCallback = (error: unknown, request: ApiRequest) => Awaitable<void>
