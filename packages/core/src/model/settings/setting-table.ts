// The table of settings: each key with its type, default, level and check. The comment of a key is its documentation, in editors and in
// docs/reference/configuration.md. ApiConfig, Meta and the fields of the resolved settings are derived from the table.
//
// A key that may be in the meta of a model is written there in lower case without `API_`: `API_ALLOW_JOIN` is `allow_join`.
// Meta takes precedence over config, config over the default.

import type { AnyModel, BaseModel } from '../define-model.ts'
import { authRequirements, roleMap } from './access/access-keys.ts'
import type {
  AccessPolicyOption,
  ApiKeyLookup,
  AuthRequirements,
  CustomAuth,
  RateLimitStore,
  RoleMap,
  StrategyName,
  TokenProvider,
} from './access/access-types.ts'
import { hasHooks, policy } from './access/check-policy.ts'
import type {
  AfterCommitCallback,
  BeforeCommitCallback,
  DumpCallback,
  ErrorCallback,
  FilterCallback,
  FinalCallback,
  HookTables,
  HookUser,
  OtherUser,
  ReturnCallback,
  SetupCallback,
  SoftDeleteValues,
  UserOf,
  WriteCallback,
} from './access/hook-types.ts'
import { type RefreshCookieOptions, refreshCookieOptions } from './auth/cookies/refresh-cookie.ts'
import { type CustomAuthScheme, customAuthScheme } from './auth/custom-auth-scheme.ts'
import { type JwtIssuer, jwtIssuer } from './auth/jwt-issuers.ts'
import { leastPasswordCost, mostPasswordCost, usualPasswordCost } from './auth/password-cost.ts'
import { type UserCondition, userCondition } from './auth/user-active.ts'
import type {
  BulkMethod,
  MethodName,
  ReadYourWrites,
  SchemaCheckMode,
  SessionGetter,
} from './config.ts'
import { bulkMethods } from './endpoints/bulk-methods.ts'
import { type ErrorCodes, errorCodes } from './error-codes.ts'
import {
  boolean,
  booleanOrList,
  type Check,
  callable,
  either,
  endpointPath,
  hostParameter,
  integer,
  ipRange,
  listOf,
  matching,
  object,
  oneOf,
  oneOrMore,
  origin,
  path,
  rateLimit,
  rateLimitStore,
  secret,
  secrets,
  softDeleteValues,
  text,
  tokenProvider,
  url,
} from './setting-checks.ts'
import type { CountMode, EndpointCase, SerializationType } from './settings.ts'

/** Where a setting may be: `api`: in config; `both`: in config and in the meta of models; `model`: in meta. */
type Level = 'api' | 'both' | 'model'

/** A setting of the table. */
export interface Setting<
  Value = unknown,
  L extends Level = Level,
  Part extends boolean = boolean,
  Default = Value | undefined,
> {
  /** Undefined: unset by default. */
  readonly default: Default
  /** Never set: only the type is used, that of a value in config or meta. */
  readonly value: Value
  readonly level: L
  /** Whether the settings are computed from the value and others, in `resolve-settings.ts`; otherwise the value is one of their fields. */
  readonly isPart: Part
  /** Says what is wrong with a value. */
  readonly check: Check
  /** Whether a wrong value is kept, because a later check finds the mistakes in its parts that `check` does not look at. */
  readonly keepsWrong?: (value: unknown) => boolean
  /** Whether the setting restricts what callers may do. If it is present and undefined, start-up fails, because without it they may do more. */
  readonly restricts?: true
}

/** A setting of the whole API, in config only: a field of ApiSettings. */
type ApiSetting<Value> = Setting<Value, 'api', false, Value>

/** A setting of the whole API that is unset by default. */
type UnsetApiSetting<Value> = Setting<Value, 'api', false>

/** A setting of models, in config and in meta: a field of ResourceSettings. */
type ModelSetting<Value> = Setting<Value, 'both', false, Value>

/** A setting of the whole API from which others are computed. */
type ApiPart<Value> = Setting<Value, 'api', true>

/** A setting of models from which others are computed. */
type ModelPart<Value> = Setting<Value, 'both', true>

/** A setting that only a model has. */
type MetaSetting<Value> = Setting<Value, 'model', true>

/** Stands for a value of any type. */
const value = undefined as never

// What several entries have in common.

const api = { level: 'api', isPart: false, value } as const
const apiPart = { level: 'api', isPart: true, value } as const
const both = { level: 'both', isPart: false, value } as const
const bothPart = { level: 'both', isPart: true, value } as const
const model = { level: 'model', isPart: true, value } as const
const unset = { default: undefined } as const
const restricting = { ...unset, restricts: true } as const

const on = { default: true, ...both, check: boolean } as const
const off = { default: false, ...both, check: boolean } as const
const callback = { ...unset, ...bothPart, check: callable } as const
const info = { ...unset, ...api, check: text } as const
const infoUrl = { ...unset, ...api, check: url } as const
const key = { ...unset, ...apiPart, check: secret } as const
const authText = { ...unset, ...apiPart, check: text } as const
const limit = (standard: number, most?: number, because?: string) =>
  ({ default: standard, ...both, check: integer(1, most, because) }) as const

// Why limits have a largest value: the end of the message that refuses a larger one.

const variables = 'Every value is a parameter of the statement, and databases allow 32766 of them.'

const tables = 'Databases join at most 61 tables in a statement, and a relation may need three.'

const nesting = 'Databases nest about 60 subqueries, and a relation may need two.'

const planning = 'Databases take minutes to plan a statement with more of them.'

const timers = 'JavaScript timers run for at most 24 days.'
const words = { ...unset, ...model, check: text } as const

const methods = listOf(oneOf('GET', 'POST', 'PATCH', 'PUT', 'DELETE'))

const isMap = (value: unknown): boolean => object(value) === undefined

/** All settings. A class, so that one declaration has the type, the value and the comment of a key. The type parameters are those of ApiConfig. */
export class SettingTable<
  UserModel extends AnyModel = AnyModel,
  CustomUser = HookUser,
  KeyUser = HookUser,
  User = UserOf<UserModel, CustomUser, KeyUser>,
  DB = HookTables,
> {
  // ------------------------------------------------------------------ the API as a whole

  /** Title of the API. Default `API`. */
  readonly API_TITLE: ApiSetting<string> = { default: 'API', ...api, check: text }
  /** Version of the API, in every envelope. Default `1.0.0`. */
  readonly API_VERSION: ApiSetting<string> = { default: '1.0.0', ...api, check: text }
  /** The base model (`defineBase`): registers each model that it defined with meta. Unset by default. */
  readonly API_BASE_MODEL: ApiPart<BaseModel> = { ...unset, ...apiPart, check: object }
  /** Returns, or resolves to, the connection or transaction that serves a request. Default: the `db` of `createApi`. */
  readonly API_SESSION_GETTER: ApiPart<SessionGetter> = { ...unset, ...apiPart, check: callable }
  /** Prefix of the generated endpoints: begins with `/`, does not end with one. Default `/api`. */
  readonly API_PREFIX: ApiSetting<string> = { default: '/api', ...api, check: path }
  /** Origin of the URLs in responses, `https://api.example.org`. Default: URLs are host-relative. */
  readonly API_BASE_URL: ApiSetting<string> = { default: '', ...api, check: origin }
  /** Letter case of endpoint names. Default `kebab`. */
  readonly API_ENDPOINT_CASE: ApiSetting<EndpointCase> = {
    default: 'kebab',
    ...api,
    check: oneOf('kebab', 'snake', 'camel', 'pascal'),
  }

  // ------------------------------------------------------------------ reading

  /**
   * Related records as URLs (`url`), embedded (`json`), embedded where joined (`dynamic`), or to-one embedded (`hybrid`). Default `url`.
   */
  readonly API_SERIALIZATION_TYPE: ModelSetting<SerializationType> = {
    default: 'url',
    ...both,
    check: oneOf('url', 'json', 'dynamic', 'hybrid'),
  }
  /** Levels that `json` and `hybrid` embed, one if unset; 0: URLs. */
  readonly API_SERIALIZATION_DEPTH: ModelPart<number> = { ...unset, ...bothPart, check: integer(0) }
  /** Whether relations are in the output. Default true. */
  readonly API_ADD_RELATIONS: ModelSetting<boolean> = on
  /** Allows `join`; otherwise it is ignored. Default false. */
  readonly API_ALLOW_JOIN: ModelSetting<boolean> = off
  /** Allows filters by columns of the model; otherwise 400. Default true. */
  readonly API_ALLOW_FILTERS: ModelSetting<boolean> = on
  /** Allows `order_by` with columns of the model; otherwise 400. Default true. */
  readonly API_ALLOW_ORDER_BY: ModelSetting<boolean> = on
  /** Allows `fields` with columns of the model; otherwise 400. Default true. */
  readonly API_ALLOW_SELECT_FIELDS: ModelSetting<boolean> = on
  /** Allows `groupby`; otherwise 400. Default false. */
  readonly API_ALLOW_GROUPBY: ModelSetting<boolean> = off
  /** Allows aggregates; otherwise 400. Default false. */
  readonly API_ALLOW_AGGREGATION: ModelSetting<boolean> = off
  /** Page size without `limit`. Default 20, or the largest `limit` if that is smaller. */
  readonly API_PAGINATION_SIZE_DEFAULT: ModelPart<number> = {
    default: 20,
    ...bothPart,
    check: integer(1),
  }
  /** Largest `limit`; more is 400. Default 100. */
  readonly API_PAGINATION_SIZE_MAX: ModelPart<number> = {
    default: 100,
    ...bothPart,
    check: integer(1),
  }
  /** `total_count` is exact, exact up to 10,000, or not counted. Default `exact`. */
  readonly API_COUNT: ModelSetting<CountMode> = {
    default: 'exact',
    ...both,
    check: oneOf('exact', 'capped', 'none'),
  }
  /** Query parameters of the host, for its hooks. Default none. */
  readonly API_ADDITIONAL_QUERY_PARAMS: ModelSetting<readonly string[]> = {
    default: [],
    ...both,
    check: listOf(hostParameter),
  }

  // ------------------------------------------------------------------ methods and writing

  /** Methods of the generated endpoints. Default GET, POST, PATCH, DELETE. */
  readonly API_ALLOWED_METHODS: ModelPart<readonly MethodName[]> = {
    default: ['GET', 'POST', 'PATCH', 'DELETE'],
    ...bothPart,
    check: methods,
  }
  /** Methods removed from the allowed ones. Default none. */
  readonly API_BLOCK_METHODS: ModelPart<readonly MethodName[]> = {
    default: [],
    ...bothPart,
    check: methods,
    restricts: true,
  }
  /** Allows related records in bodies. Default false. */
  readonly API_ALLOW_NESTED_WRITES: ModelSetting<boolean> = off
  /** Allows POST and PATCH of lists, and PATCH and DELETE by filters; `['POST']` allows POST alone. Default false. */
  readonly API_ALLOW_BULK: ModelPart<boolean | readonly BulkMethod[]> = {
    default: false,
    ...bothPart,
    check: booleanOrList(bulkMethods),
  }
  /** Allows `on_conflict`, by which a POST changes existing records; otherwise 400. Default true. */
  readonly API_ALLOW_UPSERT: ModelSetting<boolean> = on
  /** Allows `?cascade_delete=1`, which deletes the dependents too. Default false. */
  readonly API_ALLOW_CASCADE_DELETE: ModelSetting<boolean> = off
  /** DELETE marks a record as deleted, and reads omit it; for each published model with the column. Default false. */
  readonly API_SOFT_DELETE: ModelPart<boolean> = { default: false, ...bothPart, check: boolean }
  /** The column that marks deleted records; required with API_SOFT_DELETE. */
  readonly API_SOFT_DELETE_ATTRIBUTE: ModelPart<string> = { ...unset, ...bothPart, check: text }
  /**
   * The values of that column in an active and in a deleted record. The first may be `null`; the second may be `'now'` or a function of
   * the hook arguments. Default `[false, true]`.
   */
  readonly API_SOFT_DELETE_VALUES: ModelPart<SoftDeleteValues<User, DB>> = {
    default: [false, true],
    ...bothPart,
    check: softDeleteValues,
  }

  // ------------------------------------------------------------------ the response

  /** false: no `datetime` in the envelope. Default true. */
  readonly API_DUMP_DATETIME: ModelSetting<boolean> = on
  /** false: no `api_version`. Default true. */
  readonly API_DUMP_VERSION: ModelSetting<boolean> = on
  /** false: no `status_code`. Default true. */
  readonly API_DUMP_STATUS_CODE: ModelSetting<boolean> = on
  /** false: no `response_ms`. Default true. */
  readonly API_DUMP_RESPONSE_MS: ModelSetting<boolean> = on
  /** false: no `total_count`. Default true. */
  readonly API_DUMP_TOTAL_COUNT: ModelSetting<boolean> = on
  /** false: no `next_url` that is null. Default true. */
  readonly API_DUMP_NULL_NEXT_URL: ModelSetting<boolean> = on
  /** false: no `previous_url` that is null. Default true. */
  readonly API_DUMP_NULL_PREVIOUS_URL: ModelSetting<boolean> = on
  /** false: no `errors` that is null. Default true. */
  readonly API_DUMP_NULL_ERRORS: ModelSetting<boolean> = on
  /** false: the body is the bare value; count and links are headers, failures keep the envelope. Default true. */
  readonly API_DUMP_ENVELOPE: ModelSetting<boolean> = on
  /** Adds `request_id` to the envelope. Default false. */
  readonly API_DUMP_REQUEST_ID: ModelSetting<boolean> = off
  /** Adds an `ETag` to lists; `If-None-Match` gets 304 if the page is unchanged. Default false. */
  readonly API_LIST_ETAGS: ModelSetting<boolean> = off
  /**
   * The codes that your hooks, policies and authentication throw, for the OpenAPI document. Default none.
   *
   * ```ts
   * API_ERROR_CODES: { issue_closed: { status: 409, description: 'The issue is closed; reopen it first.', methods: ['PATCH'] } }
   * ```
   */
  readonly API_ERROR_CODES: ModelPart<ErrorCodes> = {
    ...unset,
    ...bothPart,
    check: errorCodes,
    keepsWrong: isMap,
  }

  // ------------------------------------------------------------------ callbacks; in meta also per method: `get_return_callback`

  /** Runs first, before authentication. Unset by default. */
  readonly API_SETUP_CALLBACK: ModelPart<SetupCallback<User, DB>> = callback
  /** Narrows the query of a read. Unset by default. */
  readonly API_FILTER_CALLBACK: ModelPart<FilterCallback<User, DB>> = {
    ...callback,
    restricts: true,
  }
  /** Receives a record before it is created, returns it. Unset by default. */
  readonly API_ADD_CALLBACK: ModelPart<WriteCallback<User, DB>> = callback
  /** Receives a record before it is changed, returns it. Unset by default. */
  readonly API_UPDATE_CALLBACK: ModelPart<WriteCallback<User, DB>> = callback
  /** Receives a record before it is removed. Unset by default. */
  readonly API_REMOVE_CALLBACK: ModelPart<WriteCallback<User, DB>> = callback
  /** Receives each serialised object, returns the one to send. Unset by default. */
  readonly API_DUMP_CALLBACK: ModelPart<DumpCallback<User, DB>> = callback
  /** Receives the value of every response of a model, returns the one to send. Unset by default. */
  readonly API_RETURN_CALLBACK: ModelPart<ReturnCallback<User, DB>> = callback
  /** Receives the finished body, returns the one to send. Unset by default. */
  readonly API_FINAL_CALLBACK: ModelPart<FinalCallback<User, DB>> = callback
  /** Called once before COMMIT with the records that a request has written; a failure rolls back. Unset by default. */
  readonly API_BEFORE_COMMIT_CALLBACK: ModelPart<BeforeCommitCallback<User, DB>> = callback
  /** Called once after COMMIT with the records that a request has written; not awaited. Unset by default. */
  readonly API_AFTER_COMMIT_CALLBACK: ModelPart<AfterCommitCallback<User, DB>> = callback
  /** Receives every failure. Unset by default. */
  readonly API_ERROR_CALLBACK: ModelPart<ErrorCallback<User, DB>> = callback

  // ------------------------------------------------------------------ access: strategies, roles, policies

  /** The strategies that protect the generated endpoints. Default none. */
  readonly API_AUTHENTICATE_METHOD: ModelPart<readonly StrategyName[]> = {
    ...restricting,
    ...bothPart,
    check: listOf(oneOf('jwt', 'basic', 'api_key', 'custom')),
  }
  /** Whether each kind of request needs authentication. Default: true if a strategy is enabled. */
  readonly API_AUTH_REQUIREMENTS: ModelPart<AuthRequirements> = {
    ...unset,
    ...bothPart,
    check: authRequirements,
  }
  /** The roles that each kind of request needs, by `RoleKey`. Default none. */
  readonly API_ROLE_MAP: ModelPart<RoleMap> = { ...restricting, ...bothPart, check: roleMap }
  /** Roles of which every request needs all, without a role map. Default none. */
  readonly API_ROLES_REQUIRED: ModelPart<readonly string[] | string> = {
    ...restricting,
    ...bothPart,
    check: oneOrMore(text),
  }
  /** Roles of which every request needs one, without a role map. Default none. */
  readonly API_ROLES_ACCEPTED: ModelPart<readonly string[] | string> = {
    ...restricting,
    ...bothPart,
    check: oneOrMore(text),
  }
  /** Row-level access. Default: everything is allowed. */
  readonly API_ACCESS_POLICY: ModelPart<AccessPolicyOption<User, DB>> = {
    ...restricting,
    ...bothPart,
    check: policy,
    keepsWrong: hasHooks,
  }

  // ------------------------------------------------------------------ users and credentials

  /** The model of the users; types `user` in the hooks of the configuration. Unset by default. */
  readonly API_USER_MODEL: ApiPart<UserModel> = { ...unset, ...apiPart, check: object }
  /** The field with the login name. Unset by default. */
  readonly API_USER_LOOKUP_FIELD: ApiPart<string> = authText
  /** The method of the user model that checks a password. Unset by default. */
  readonly API_CREDENTIAL_CHECK_METHOD: ApiPart<string> = authText
  /**
   * Which users may sign in and use their tokens and keys: the values of fields, such as `{ active: true }` or `{ blocked_at: null }`, or a
   * method of the user model that returns true. Default: all that are stored.
   */
  readonly API_USER_ACTIVE: ApiPart<UserCondition> = { ...unset, ...apiPart, check: userCondition }
  /** Cost of bcrypt hashes, 4 to 16: 2^cost rounds. Default 10. */
  readonly API_PASSWORD_COST: ApiPart<number> = {
    default: usualPasswordCost,
    ...apiPart,
    check: integer(leastPasswordCost, mostPasswordCost),
  }
  /** The field with the hash of an API key. Unset by default. */
  readonly API_CREDENTIAL_HASH_FIELD: ApiPart<string> = authText
  /** Takes an API key, returns its user or nothing. Unset by default. */
  readonly API_KEY_AUTH_AND_RETURN_METHOD: ApiPart<ApiKeyLookup<KeyUser>> = {
    ...unset,
    ...apiPart,
    check: callable,
  }
  /** Keeps API keys of users in the table `api_keys`, with endpoints for them under `/auth/keys`. Default false. */
  readonly API_KEYS: ApiSetting<boolean> = { default: false, ...api, check: boolean }
  /** The custom strategy: returns true, the user, or nothing. Unset by default. */
  readonly API_CUSTOM_AUTH: ApiPart<CustomAuth<CustomUser> & OtherUser<UserModel, CustomUser>> = {
    ...unset,
    ...apiPart,
    check: callable,
  }
  /**
   * Calls API_CUSTOM_AUTH once for a batch, with its request, not for each operation. It must then decide by the credential alone.
   * Default false.
   */
  readonly API_CUSTOM_AUTH_PER_BATCH: ApiPart<boolean> = {
    default: false,
    ...apiPart,
    check: boolean,
  }
  /**
   * Where the custom strategy finds its credential, for the OpenAPI document and `Vary`: `{ in: 'cookie', name: 'session' }`, `{ in:
   * 'header', name: 'X-Session' }` or `{ in: 'bearer' }`. With a cookie, `csrf` names a header that writes need. Default: the header
   * `Authorization`.
   */
  readonly API_CUSTOM_AUTH_SCHEME: ApiPart<CustomAuthScheme> = {
    ...unset,
    ...apiPart,
    check: customAuthScheme,
  }

  // ------------------------------------------------------------------ tokens

  /** Lifetime of an access token in minutes. Default 360. */
  readonly API_JWT_EXPIRY_TIME: ApiPart<number> = { default: 360, ...apiPart, check: integer(1) }
  /** Lifetime of a refresh token in minutes. Default 2880. */
  readonly API_JWT_REFRESH_EXPIRY_TIME: ApiPart<number> = {
    default: 2880,
    ...apiPart,
    check: integer(1),
  }
  /**
   * Seconds after its use in which a refresh token gets its successor again, at most 60; 10 for browsers, whose tabs refresh at once.
   * Default 0.
   */
  readonly API_JWT_REFRESH_GRACE: ApiPart<number> = {
    default: 0,
    ...apiPart,
    check: integer(0, 60),
  }
  /** Signing algorithm. Default `HS256`; `RS256` uses key pairs. */
  readonly API_JWT_ALGORITHM: ApiPart<string> = { default: 'HS256', ...apiPart, check: text }
  /** Algorithms accepted in verification. Default: the signing algorithm. */
  readonly API_JWT_ALLOWED_ALGORITHMS: ApiPart<readonly string[] | string> = {
    ...unset,
    ...apiPart,
    check: oneOrMore(text),
  }
  /** The claim `iss`; tokens with another or none are refused. Unset by default. */
  readonly API_JWT_ISSUER: ApiPart<string> = authText
  /** The claim `aud`; tokens with another or none are refused. Unset by default. */
  readonly API_JWT_AUDIENCE: ApiPart<string> = authText
  /** Other issuers whose access tokens are accepted, such as OpenID providers. Default none. */
  readonly API_JWT_ISSUERS: ApiPart<readonly JwtIssuer[]> = {
    ...unset,
    ...apiPart,
    check: listOf(jwtIssuer),
  }
  /** Seconds of clock skew allowed for `exp`, `iat` and `nbf`. Default 5. */
  readonly API_JWT_LEEWAY: ApiPart<number> = { default: 5, ...apiPart, check: integer(0, 300) }
  /** Signs access tokens; the environment variable takes precedence. */
  readonly ACCESS_SECRET_KEY: ApiPart<string> = key
  /** Signs refresh tokens; the environment variable takes precedence. */
  readonly REFRESH_SECRET_KEY: ApiPart<string> = key
  /** PEM key that signs access tokens (RS256). */
  readonly ACCESS_PRIVATE_KEY: ApiPart<string> = key
  /** PEM key that verifies access tokens. */
  readonly ACCESS_PUBLIC_KEY: ApiPart<string> = key
  /** PEM key that signs refresh tokens. */
  readonly REFRESH_PRIVATE_KEY: ApiPart<string> = key
  /** PEM key that verifies refresh tokens. */
  readonly REFRESH_PUBLIC_KEY: ApiPart<string> = key
  /**
   * Earlier secrets and PEM keys of access tokens, which are still accepted, at most 10: a new key signs nobody out. Default none.
   */
  readonly ACCESS_PREVIOUS_KEYS: ApiPart<readonly string[]> = {
    ...unset,
    ...apiPart,
    check: secrets,
  }
  /** Earlier secrets and PEM keys of refresh tokens, as ACCESS_PREVIOUS_KEYS. Default none. */
  readonly REFRESH_PREVIOUS_KEYS: ApiPart<readonly string[]> = {
    ...unset,
    ...apiPart,
    check: secrets,
  }
  /**
   * Where access tokens are looked for, in order: `'header'`, `'cookie'`, a function of the request, or `'module#export'`. Default
   * `['header']`.
   */
  readonly API_AUTH_TOKEN_PROVIDERS: ApiPart<readonly TokenProvider[]> = {
    default: ['header'],
    ...apiPart,
    check: listOf(either(tokenProvider, callable)),
  }
  /** The cookie of the `cookie` provider. Default `access_token`. */
  readonly API_AUTH_COOKIE_NAME: ApiPart<string> = {
    default: 'access_token',
    ...apiPart,
    check: matching(/^[A-Za-z0-9_.-]+$/, 'a name of letters, digits, _ . and -'),
  }
  /**
   * Sends refresh tokens in an HttpOnly cookie, not in bodies: `true`, or `{ name, domain }`. The name is `__Secure-refresh_token`,
   * for the path of the refresh endpoint; a name with `__Host-` has the path `/` and no domain. Default false.
   */
  readonly API_AUTH_REFRESH_COOKIE: ApiPart<boolean | RefreshCookieOptions> = {
    default: false,
    ...apiPart,
    check: either(refreshCookieOptions, boolean),
  }
  /**
   * Origins besides that of the API, such as `https://app.example.com`, whose pages may send requests that a cookie authenticates and
   * that change something. Default none.
   */
  readonly API_TRUSTED_ORIGINS: ApiPart<readonly string[]> = {
    default: [],
    ...apiPart,
    check: listOf(origin),
  }

  // ------------------------------------------------------------------ authentication routes

  /** false: no routes under `/auth`. Default true. */
  readonly API_AUTO_AUTH_ROUTES: ApiPart<boolean> = { default: true, ...apiPart, check: boolean }
  /** Path of the refresh endpoint. Default `/auth/refresh`. */
  readonly API_AUTH_REFRESH_ROUTE: ApiPart<string> = {
    default: '/auth/refresh',
    ...apiPart,
    check: path,
  }
  /** Path of the current-user endpoint. Default `/auth/me`. */
  readonly API_AUTH_ME_ROUTE: ApiPart<string> = { default: '/auth/me', ...apiPart, check: path }
  /** false: no current-user endpoint. Default true. */
  readonly API_EXPOSE_ME: ApiPart<boolean> = { default: true, ...apiPart, check: boolean }

  // ------------------------------------------------------------------ rate limits

  /** `<count> per <period>`, several joined by `;`. Default none. */
  readonly API_RATE_LIMIT: ModelPart<string> = { ...unset, ...bothPart, check: rateLimit }
  /** Counts requests: an object with `hit` and, if possible, `peek`. Default: the memory of the process. */
  readonly API_RATE_LIMIT_STORE: UnsetApiSetting<RateLimitStore> = {
    ...unset,
    ...api,
    check: rateLimitStore,
  }
  /** Limit of login and refresh, per address and account. Default `10 per minute`. */
  readonly API_LOGIN_RATE_LIMIT: ApiPart<string> = {
    default: '10 per minute',
    ...apiPart,
    check: rateLimit,
  }
  /** Proxies whose `X-Forwarded-For` is trusted: CIDR ranges, or the number of hops. Default none. */
  readonly API_TRUSTED_PROXIES: ApiPart<readonly string[] | number> = {
    ...unset,
    ...apiPart,
    check: either(listOf(ipRange), integer(0)),
  }

  // ------------------------------------------------------------------ documentation

  /** Serves the documentation page and the OpenAPI document. Default true. */
  readonly API_CREATE_DOCS: ApiPart<boolean> = { default: true, ...apiPart, check: boolean }
  /** Path of the documentation page. Default `/docs`. */
  readonly API_DOCUMENTATION_URL: ApiPart<string> = { default: '/docs', ...apiPart, check: path }
  /** Path of the OpenAPI document. Default `/docs/apispec.json`. */
  readonly API_DOCS_SPEC_ROUTE: ApiPart<string> = {
    default: '/docs/apispec.json',
    ...apiPart,
    check: path,
  }
  /** The documentation requires authentication. Default false. */
  readonly API_DOCUMENTATION_REQUIRE_AUTH: ApiPart<boolean> = {
    default: false,
    ...apiPart,
    check: boolean,
  }
  /** Description of the API. Unset by default. */
  readonly API_DESCRIPTION: UnsetApiSetting<string> = info
  /** Contact name. Unset by default. */
  readonly API_CONTACT_NAME: UnsetApiSetting<string> = info
  /** Contact e-mail address. Unset by default. */
  readonly API_CONTACT_EMAIL: UnsetApiSetting<string> = info
  /** Contact page. Unset by default. */
  readonly API_CONTACT_URL: UnsetApiSetting<string> = infoUrl
  /** Licence of the API. Unset by default. */
  readonly API_LICENCE_NAME: UnsetApiSetting<string> = info
  /** URL of the licence. Unset by default. */
  readonly API_LICENCE_URL: UnsetApiSetting<string> = infoUrl
  /** URLs where the API is served. Unset by default. */
  readonly API_SERVER_URLS: ApiPart<readonly string[] | string> = {
    ...unset,
    ...apiPart,
    check: oneOrMore(url),
  }
  /** Logo of the documentation page. Unset by default. */
  readonly API_LOGO_URL: UnsetApiSetting<string> = infoUrl

  // ------------------------------------------------------------------ pages

  /**
   * Sends pages to browsers: a GET whose `Accept` prefers `text/html` gets its data as a page. Default true, unless `NODE_ENV` is
   * `production` or there is no environment, as in workers.
   */
  readonly API_HTML_PAGES: ApiPart<boolean> = { ...unset, ...apiPart, check: boolean }

  // ------------------------------------------------------------------ health

  /**
   * Path that is 200 while the process runs; `<path>/ready` is 503 while requests cannot be served. Default none; `model-api serve` sets
   * `/health`.
   */
  readonly API_HEALTH_ROUTE: UnsetApiSetting<string> = { ...unset, ...api, check: path }

  // ------------------------------------------------------------------ batch

  /** Serves `POST <API_PREFIX><API_BATCH_ROUTE>`: several requests in one transaction. Default false. */
  readonly API_ALLOW_BATCH: ApiPart<boolean> = { default: false, ...apiPart, check: boolean }
  /** Path of batches below API_PREFIX. Default `/batch`. */
  readonly API_BATCH_ROUTE: ApiPart<string> = { default: '/batch', ...apiPart, check: path }
  /** Maximum operations of a batch. Default 1000. */
  readonly API_MAX_BATCH: ApiPart<number> = { default: 1000, ...apiPart, check: integer(1) }
  /** Maximum characters of the results of a batch; more is 400, and nothing is stored. Default 16777216. */
  readonly API_MAX_BATCH_RESPONSE: ApiPart<number> = {
    default: 16777216,
    ...apiPart,
    check: integer(1),
  }
  /** Longest batch in milliseconds, with waiting and retries; longer is 503, and nothing is stored. Default 30000. */
  readonly API_BATCH_TIMEOUT: ApiPart<number> = { default: 30000, ...apiPart, check: integer(1) }

  // ------------------------------------------------------------------ replicas

  /**
   * Whether clients see their own writes although `replicas` lag: by the header `X-Write-Position` of writes, which reads send back, or
   * by a cookie. Default `off`.
   */
  readonly API_READ_YOUR_WRITES: ApiSetting<ReadYourWrites> = {
    default: 'off',
    ...api,
    check: oneOf('off', 'header', 'cookie'),
  }

  // ------------------------------------------------------------------ schema check

  /**
   * What happens if models and database differ. `warn`: `onWarning` lists the differences, and `ready` rejects for some. `error`:
   * `ready` rejects, and requests are 503. `off` in meta skips the model, also in `model-api check`; in config it does not affect that
   * command. Default `warn`.
   */
  readonly API_SCHEMA_CHECK: ModelSetting<SchemaCheckMode> = {
    default: 'warn',
    ...both,
    check: oneOf('warn', 'error', 'off'),
  }

  // ------------------------------------------------------------------ request limits

  /** Milliseconds of the longest statement, and of the longest wait for a connection; longer is 503. Default 5000. */
  readonly API_STATEMENT_TIMEOUT: ApiSetting<number> = { default: 5000, ...api, check: integer(1) }
  /** Milliseconds within which a callback, policy, validator or other host function must settle; later is 500. Default 10000. */
  readonly API_HOOK_TIMEOUT: ApiSetting<number> = {
    default: 10000,
    ...api,
    check: integer(1, 2147483647, timers),
  }
  /** Largest body in bytes; larger is 413. Default 1048576. */
  readonly API_BODY_LIMIT: ApiSetting<number> = { default: 1048576, ...api, check: integer(1) }
  /** Longest URL in characters; longer is 414. Default 8192. */
  readonly API_MAX_URL_LENGTH: ApiSetting<number> = { default: 8192, ...api, check: integer(1) }
  /** Maximum conditions, aggregates, grouping keys and order terms of a request; at most 1000. Default 100. */
  readonly API_MAX_CONDITIONS: ModelSetting<number> = limit(100, 1000, variables)
  /** Maximum values of one list; at most 10000. Default 1000. */
  readonly API_MAX_LIST: ModelSetting<number> = limit(1000, 10000, variables)
  /** Maximum relations in `exists(…)` and `missing(…)` of a request, each of a path counted; at most 50. Default 10. */
  readonly API_MAX_RELATION_FILTERS: ModelSetting<number> = limit(10, 50, planning)
  /** Maximum aggregates of related records of a request, such as `count(books)`; at most 20. Default 8. */
  readonly API_MAX_AGGREGATES: ModelSetting<number> = limit(8, 20, nesting)
  /** Maximum joined relations; at most 20. Default 8. */
  readonly API_MAX_JOINS: ModelSetting<number> = limit(8, 20, tables)
  /** Greatest depth of relation paths, embedding and nested bodies; at most 12. Default 4. */
  readonly API_MAX_DEPTH: ModelSetting<number> = limit(4, 12, nesting)
  /** Maximum embedded rows of a response. Default 10000. */
  readonly API_MAX_EMBEDDED_ROWS: ModelSetting<number> = limit(10000)
  /**
   * Maximum records and links that a request or operation writes or deletes, with nested ones and dependents; more is 400. Default 1000.
   */
  readonly API_MAX_BULK: ModelSetting<number> = limit(1000)

  // ------------------------------------------------------------------ only in meta

  /** Further paths below API_PREFIX that serve the model. */
  readonly endpoint: MetaSetting<string | readonly string[]> = {
    ...unset,
    ...model,
    check: oneOrMore(endpointPath),
  }
  /** false: only `endpoint` is served; the canonical URLs are free for the host. Default true. */
  readonly register_canonical_routes: MetaSetting<boolean> = {
    default: true,
    ...model,
    check: boolean,
  }
  /** The model's section of the documentation. Default: the model's name. */
  readonly tag: MetaSetting<string> = words
  /** The group of that section. */
  readonly tag_group: MetaSetting<string> = words
  /** Text about the model. */
  readonly description: MetaSetting<string> = words
  /** How many records there are, in words for the index, such as `about 12,000 rows`. Callers whose policy hides some see it too. */
  readonly size: MetaSetting<string> = words
  /** Summary of GET on the collection. */
  readonly get_many_summary: MetaSetting<string> = words
  /** Summary of GET on one record. */
  readonly get_single_summary: MetaSetting<string> = words
  /** Summary of POST. */
  readonly post_summary: MetaSetting<string> = words
  /** Summary of PATCH. */
  readonly patch_summary: MetaSetting<string> = words
  /** Summary of DELETE. */
  readonly delete_summary: MetaSetting<string> = words
  /** Another spelling of `role_map`; setting both is an error. */
  readonly api_role_map: MetaSetting<RoleMap> = {
    ...unset,
    ...model,
    check: roleMap,
    restricts: true,
  }
}

/** The table, as values. */
export const settingTable: SettingTable = new SettingTable()

/** Each key with its setting, in the order of the table. */
export const allSettings: readonly (readonly [key: string, setting: Setting])[] =
  Object.entries(settingTable)
