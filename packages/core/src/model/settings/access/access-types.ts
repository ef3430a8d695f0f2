// Who may do what, as the configuration says it: roles, authentication requirements, policies, look-ups of credentials, and stores of rate
// limits (docs/guide/access.md).
// Types only.

import type { AnyModel } from '../../define-model.ts'
import type { ApiRequest } from '../../request.ts'
import type { HookArgs, HookQuery, HookRecord, HookTables, HookUser } from './hook-types.ts'
import type { PolicyScope } from './scope-types.ts'

type Awaitable<T> = T | Promise<T>
/** What a hook returns to refuse. */
type Falsy = false | null | undefined | 0 | ''

/** The strategies of API_AUTHENTICATE_METHOD. */
export type StrategyName = 'jwt' | 'basic' | 'api_key' | 'custom'

/** The keys of requirements; the most specific key that is present decides. `'*'` means the same as `'ALL'`, and is asked last. */
export type AccessKey =
  | 'GET'
  | 'GET_ONE'
  | 'GET_MANY'
  | 'POST'
  | 'PATCH'
  | 'PUT'
  | 'DELETE'
  | 'RESTORE'
  | 'RELATION_GET'
  | 'RELATION_GET_ONE'
  | 'RELATION_GET_MANY'
  | 'RELATION_POST'
  | 'RELATION_PATCH'
  | 'RELATION_PUT'
  | 'RELATION_DELETE'
  | 'ALL'
  | '*'

/** The keys of a role map. `UPSERT`: a POST with `on_conflict`, which needs the roles of `POST` and `PATCH` too. */
export type RoleKey = AccessKey | 'UPSERT'

/**
 * The roles that a request needs. A list: all of its roles. A string: that role. `any_of`: at least one of the roles. `true`:
 * authentication only.
 */
export type RoleRule =
  | readonly string[]
  | string
  | { readonly roles: readonly string[]; readonly any_of?: boolean }
  | true

/** Which roles each kind of request needs. */
export type RoleMap = { readonly [K in RoleKey]?: RoleRule }

/**
 * Whether each kind of request needs authentication. Strings are accepted too: `true`, `1`, `yes`, `on` and `false`, `0`, `no`,
 * `off`. HEAD and QUERY are treated like GET, so their values must equal that of GET; OPTIONS never needs authentication.
 */
export type AuthRequirements = {
  readonly [K in AccessKey | 'HEAD' | 'QUERY' | 'OPTIONS']?: boolean | string
}

/** Row-level access. Each member is optional: a missing one allows everything; a falsy result of a hook gives 403. */
export interface AccessPolicy<User = HookUser, DB = HookTables> {
  /** The rows that the caller may see, as conditions in plain data. Narrows every read like `scope_query`; a policy cannot have both. */
  readonly scope?: PolicyScope<User, DB>
  /** Narrows every read of the model's rows, also in joins, embeds and filters. */
  scope_query?(query: HookQuery, args: HookArgs<User, DB>): Awaitable<HookQuery | Falsy>
  /** Called for the record of a GET of one record, and for each embedded record; not for the rows of lists. */
  can_read?(object: HookRecord, args: HookArgs<User, DB>): Awaitable<unknown>
  can_create?(data: HookRecord, args: HookArgs<User, DB>): Awaitable<unknown>
  can_update?(object: HookRecord, data: HookRecord, args: HookArgs<User, DB>): Awaitable<unknown>
  can_delete?(object: HookRecord, args: HookArgs<User, DB>): Awaitable<unknown>
}

/** A policy as an object, as a class to be constructed once, or as a function that is called once for each model. */
export type AccessPolicyOption<User = HookUser, DB = HookTables> =
  | AccessPolicy<User, DB>
  | (new () => AccessPolicy<User, DB>)
  | ((model: AnyModel) => AccessPolicy<User, DB>)

/** Takes an API key, returns its user or nothing. */
export type ApiKeyLookup<User = HookUser> = (key: string) => Awaitable<User>

/**
 * Authenticates a request by the custom strategy: returns the user, true for a caller without a user, or a falsy value if the request
 * has no credential, which is a 401 where authentication is needed. To refuse a wrong credential everywhere, it throws an ApiError with
 * 401; any other error is reported, and is a 401, too (503 if the database was unavailable).
 * Without a user model, all properties of the user except `roles`, `iat`, `exp`, `nbf` and `jti` identify it for rate limits and
 * `Idempotency-Key`, so it should hold nothing else that changes between requests.
 *
 * ```ts
 * API_CUSTOM_AUTH: async ({ headers }) => tenants.byKey(headers?.['x-key']) // { id: 7, organisation_id: 3, roles: ['editor'] }
 * ```
 */
export type CustomAuth<User = HookUser> = (request: ApiRequest) => Awaitable<User>

/** Where an access token is read from: the Authorization header, a cookie, or a host function; that may be named as `'module#export'`. */
export type TokenProvider =
  | 'header'
  | 'cookie'
  | (string & {})
  | ((request: ApiRequest) => Awaitable<string | null | undefined>)

/** How often a key was counted in its window, and when the window ends (milliseconds since 1970). */
export interface RateCount {
  readonly count: number
  readonly resetsAt: number
}

/**
 * Counts requests per key and window; a window begins with its first request. While a store fails, or gives no answer
 * within a second, requests are counted in the memory of the process.
 */
export interface RateLimitStore {
  /** Counts one request and returns the new count. */
  hit(key: string, windowMs: number, now: number): Promise<RateCount>
  /** Returns the count without changing it. If a store lacks this method, each process limits failed passwords by its own counts. */
  peek?(key: string, windowMs: number, now: number): Promise<RateCount>
}
