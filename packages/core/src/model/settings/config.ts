// ApiConfig: every configuration key with its meaning, its default and where it can be set; the reference manual of the settings.
//
// A key that can also be set in a model's meta is written there in lower case without `API_`: `API_ALLOW_JOIN` is `allow_join`.
// Meta takes precedence over config, config over the default. Keys marked "config only" apply to the whole API.

import type { Kysely, Transaction } from 'kysely'
import type { AnyModel, BaseModel } from '../define-model.ts'
import type { ApiRequest } from '../request.ts'
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
import type {
  AfterCommitCallback,
  BeforeCommitCallback,
  DumpCallback,
  ErrorCallback,
  FilterCallback,
  FinalCallback,
  HookTables,
  HookUser,
  OpenApiCallback,
  OtherUser,
  ReturnCallback,
  SetupCallback,
  SoftDeleteValues,
  UserOf,
  WriteCallback,
} from './access/hook-types.ts'
import type { CustomAuthScheme } from './auth/custom-auth-scheme.ts'
import type { ErrorCodes } from './error-codes.ts'
import type { CountMode, EndpointCase, SerializationType } from './settings.ts'

/** How a write sends its client the log position that replicas must reach before they show the write. */
export type ReadYourWrites = 'off' | 'header' | 'cookie'

/** What happens if a model and the database differ. */
export type SchemaCheckMode = 'warn' | 'error' | 'off'

/** The HTTP methods generated endpoints can have; HEAD is allowed with GET, OPTIONS always. */
export type MethodName = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A method that can write many records at once. */
export type BulkMethod = 'POST' | 'PATCH' | 'DELETE'

/** Returns the connection or transaction that serves a request. */
export type SessionGetter = (
  request: ApiRequest,
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
) => Kysely<any> | Transaction<any> | Promise<Kysely<any> | Transaction<any>>

/**
 * The configuration of an API: `createApi({ db, models, config })`. Every key:
 * https://github.com/model-api/model-api/blob/main/docs/reference/configuration.md
 *
 * ```ts
 * const config: ApiConfig = { API_TITLE: 'Library', API_VERSION: '1.0', API_ALLOW_JOIN: true }
 * ```
 */
export interface ApiConfig<
  UserModel extends AnyModel = AnyModel,
  CustomUser = HookUser,
  KeyUser = HookUser,
  User = UserOf<UserModel, CustomUser, KeyUser>,
  DB = HookTables,
> {
  // ------------------------------------------------------------------ the API as a whole

  /** Title of the API. Default `API`. Config only. Specification: configuration keys. */
  readonly API_TITLE?: string
  /** Version of the API, in every envelope. Default `1.0.0`. Config only. Specification: Versioning. */
  readonly API_VERSION?: string
  /**
   * The base model (`defineBase`); registers every model that it defined and that has meta. Unset by default. Config only.
   * Specification: configuration keys.
   */
  readonly API_BASE_MODEL?: BaseModel
  /**
   * A function of the request that returns the connection or transaction which serves it, or a promise of one; a transaction is used as it is. Default: the `db` of `createApi`.
   * Config only. Specification: configuration keys.
   */
  readonly API_SESSION_GETTER?: SessionGetter
  /** Prefix of the generated resource endpoints: begins with `/`, does not end with one. Default `/api`. Config only. */
  readonly API_PREFIX?: string
  /** Absolute origin of all URLs in responses, `https://api.example.org`. Default: URLs are host-relative. Config only. */
  readonly API_BASE_URL?: string
  /** Letter case of endpoint names. Default `kebab`. Config only. Specification: configuration keys. */
  readonly API_ENDPOINT_CASE?: EndpointCase

  // ------------------------------------------------------------------ reading

  /**
   * How related records appear: as URLs (`url`), embedded (`json`), embedded where joined (`dynamic`), or to-one embedded
   * (`hybrid`). Default `url`. Config, meta. Specification: Serialisation.
   */
  readonly API_SERIALIZATION_TYPE?: SerializationType
  /**
   * Levels of related records to embed; unset: `json` and `hybrid` embed one level; 0: URLs. Config, meta. Specification:
   * Serialisation.
   */
  readonly API_SERIALIZATION_DEPTH?: number
  /** Whether relations are in the output. Default true. Config, meta. Specification: Model-derived resources 2. */
  readonly API_ADD_RELATIONS?: boolean
  /** Allows `join`; otherwise it is ignored. Default false. Config, meta. Specification: Joins 1. */
  readonly API_ALLOW_JOIN?: boolean
  /**
   * Allows filters by the columns of the model, in requests to other models too; otherwise they are 400. Default true. Config, meta.
   * Specification: Filtering 1.
   */
  readonly API_ALLOW_FILTERS?: boolean
  /** Allows `order_by` with columns of the model, in requests to other models too; otherwise it is 400. Default true. Config, meta. */
  readonly API_ALLOW_ORDER_BY?: boolean
  /** Allows `fields` with columns of the model, in requests to other models too; otherwise it is 400. Default true. Config, meta. */
  readonly API_ALLOW_SELECT_FIELDS?: boolean
  /** Allows `groupby`; otherwise it is 400. Default false. Config, meta. Specification: Grouping. */
  readonly API_ALLOW_GROUPBY?: boolean
  /** Allows aggregates; otherwise they are 400. Default false. Config, meta. Specification: Grouping. */
  readonly API_ALLOW_AGGREGATION?: boolean
  /** Page size of a list if the request has no `limit`. Default 20, or the largest `limit` if that is smaller. Config, meta. */
  readonly API_PAGINATION_SIZE_DEFAULT?: number
  /** Largest `limit`; more is 400. Default 100. Config, meta. */
  readonly API_PAGINATION_SIZE_MAX?: number
  /** How `total_count` is obtained: exactly, exactly up to 10,000, or not at all. Default `exact`. Config, meta. */
  readonly API_COUNT?: CountMode
  /** Query parameters that are the host's own: passed to hooks, otherwise ignored. Default none. Config, meta. */
  readonly API_ADDITIONAL_QUERY_PARAMS?: readonly string[]

  // ------------------------------------------------------------------ methods and writing

  /**
   * Methods of generated endpoints; PUT only where listed. Default GET, POST, PATCH, DELETE. Config, meta. Specification: Generated
   * resource endpoints 2.
   */
  readonly API_ALLOWED_METHODS?: readonly MethodName[]
  /** Methods removed from the allowed ones. Default none. Config, meta. */
  readonly API_BLOCK_METHODS?: readonly MethodName[]
  /** Allows related records inside a body. Default false. Config, meta. Specification: Generated resource endpoints. */
  readonly API_ALLOW_NESTED_WRITES?: boolean
  /**
   * Allows a list in POST, and PATCH and DELETE of many records: of a list, or by filters. A list of methods allows only these:
   * `['POST']` for imports. Default false. Config, meta.
   */
  readonly API_ALLOW_BULK?: boolean | readonly BulkMethod[]
  /** Allows `on_conflict`, by which a POST changes the records that exist; otherwise it is 400. Default true. Config, meta. */
  readonly API_ALLOW_UPSERT?: boolean
  /**
   * Shows clients the message of a trigger that refuses a write: of `RAISE EXCEPTION` and `ASSERT` (PostgreSQL), `SIGNAL` (MySQL,
   * MariaDB) and `RAISE(ABORT, …)` (SQLite). Default false. Config, meta.
   */
  readonly API_SHOW_TRIGGER_MESSAGES?: boolean
  /**
   * Writes that change or delete a stored record need its ETag in `If-Match`: 428 without it, also for those that cannot send one,
   * such as by filters. `'single'`: only those of one record, named by its path. Default false. Config, meta.
   */
  readonly API_REQUIRE_IF_MATCH?: boolean | 'single'
  /** Allows `?cascade_delete=1`, which deletes the dependents of a record with it. Default false. Config, meta. */
  readonly API_ALLOW_CASCADE_DELETE?: boolean
  /**
   * Soft delete: DELETE marks a record as deleted, and reads omit marked records; applies to every published model with the column.
   * Default false. Config, meta. Specification: States and transitions.
   */
  readonly API_SOFT_DELETE?: boolean
  /** The column that marks deleted records; required with API_SOFT_DELETE. Config, meta. Specification: Model-derived resources 4. */
  readonly API_SOFT_DELETE_ATTRIBUTE?: string
  /**
   * The values of the soft-delete column in an active record and in a deleted one. The first may be `null`. The second may be
   * `'now'` in a date or datetime column, or a function of the hook arguments; then every record that does not have the first value
   * counts as deleted. Default `[false, true]`. Config, meta. Specification: Model-derived resources 4.
   */
  readonly API_SOFT_DELETE_VALUES?: SoftDeleteValues<User, DB>

  // ------------------------------------------------------------------ the response

  /** false: no `datetime` in the envelope. Default true. Config, meta. Specification: Response envelope. */
  readonly API_DUMP_DATETIME?: boolean
  /** false: no `api_version`. Default true. Config, meta. Specification: Response envelope. */
  readonly API_DUMP_VERSION?: boolean
  /** false: no `status_code`. Default true. Config, meta. Specification: Response envelope. */
  readonly API_DUMP_STATUS_CODE?: boolean
  /** false: no `response_ms`. Default true. Config, meta. Specification: Response envelope. */
  readonly API_DUMP_RESPONSE_MS?: boolean
  /** false: no `total_count`. Default true. Config, meta. Specification: Response envelope. */
  readonly API_DUMP_TOTAL_COUNT?: boolean
  /** false: no `next_url` where it would be null. Default true. Config, meta. */
  readonly API_DUMP_NULL_NEXT_URL?: boolean
  /** false: no `previous_url` where it would be null. Default true. Config, meta. */
  readonly API_DUMP_NULL_PREVIOUS_URL?: boolean
  /** false: no `errors` where it would be null. Default true. Config, meta. */
  readonly API_DUMP_NULL_ERRORS?: boolean
  /** false: the body is the bare value; count and links go to headers, failures keep the envelope. Default true. Config, meta. */
  readonly API_DUMP_ENVELOPE?: boolean
  /** Adds `request_id` to the envelope. Default false. Config, meta. */
  readonly API_DUMP_REQUEST_ID?: boolean
  /**
   * Adds an `ETag` to lists, so that a request with `If-None-Match` gets 304 if the page is unchanged. It costs a hash of the
   * page. Default false. Config, meta.
   */
  readonly API_LIST_ETAGS?: boolean
  /**
   * Adds the header `Server-Timing`: the milliseconds of each stage. Every client can then see which stages are slow. Default
   * false. Config only.
   */
  readonly API_SERVER_TIMING?: boolean
  /**
   * The codes of errors that your hooks, policies and authentication throw, for the OpenAPI document:
   * `{ issue_closed: { status: 409, description: 'The issue is closed; reopen it first.', methods: ['PATCH'] } }`. Without `methods`,
   * every method can fail so. Default none. Config, meta.
   */
  readonly API_ERROR_CODES?: ErrorCodes

  // ------------------------------------------------------------------ callbacks; in meta also per method: `get_return_callback`

  /** Runs first, before authentication. Unset by default. Config, meta. */
  readonly API_SETUP_CALLBACK?: SetupCallback<User, DB>
  /** Narrows the query of a read. Unset by default. Config, meta. */
  readonly API_FILTER_CALLBACK?: FilterCallback<User, DB>
  /** Receives a record before it is created, returns it. Unset by default. Config, meta. Specification: Generated resource endpoints 5. */
  readonly API_ADD_CALLBACK?: WriteCallback<User, DB>
  /** Receives a record before it is changed, returns it. Unset by default. Config, meta. */
  readonly API_UPDATE_CALLBACK?: WriteCallback<User, DB>
  /** Receives a record before it is removed. Unset by default. Config, meta. */
  readonly API_REMOVE_CALLBACK?: WriteCallback<User, DB>
  /** Receives each serialised object, returns the one to send. Unset by default. Config, meta. Specification: configuration keys. */
  readonly API_DUMP_CALLBACK?: DumpCallback<User, DB>
  /**
   * Receives the value of every response of a model, returns the one to send. Unset by default. Config, meta. Specification:
   * Generated resource endpoints 5.
   */
  readonly API_RETURN_CALLBACK?: ReturnCallback<User, DB>
  /** Receives the finished body, returns the one to send. Unset by default. Config, meta. */
  readonly API_FINAL_CALLBACK?: FinalCallback<User, DB>
  /**
   * Called once before COMMIT with every record that a request has written, each as it was before and after; `args.db` is the
   * transaction. A failure rolls the request back. Unset by default. Config, meta.
   */
  readonly API_BEFORE_COMMIT_CALLBACK?: BeforeCommitCallback<User, DB>
  /**
   * Called once after COMMIT with every record that a request has written, each as it was before and after. It is not awaited; a
   * failure goes to `onError`. Unset by default. Config, meta.
   */
  readonly API_AFTER_COMMIT_CALLBACK?: AfterCommitCallback<User, DB>
  /** Receives every failure. Unset by default. Config, meta. */
  readonly API_ERROR_CALLBACK?: ErrorCallback<User, DB>

  // ------------------------------------------------------------------ access: strategies, roles, policies

  /** The strategies that protect the generated endpoints. Default none. Config, meta. Specification: Strategies. */
  readonly API_AUTHENTICATE_METHOD?: readonly StrategyName[]
  /**
   * Whether each kind of request needs authentication. Default: true if a strategy is enabled. Config, meta. Specification:
   * Per-method authentication.
   */
  readonly API_AUTH_REQUIREMENTS?: AuthRequirements
  /** Which roles each kind of request needs, by `RoleKey`, which has `UPSERT` and `RESTORE` too. Default none. Config, meta (`role_map` or `api_role_map`). Specification: Roles 3. */
  readonly API_ROLE_MAP?: RoleMap
  /** Every endpoint requires all of these roles; a role map takes precedence. Default none. Config, meta. Specification: Roles 4. */
  readonly API_ROLES_REQUIRED?: readonly string[] | string
  /**
   * Every endpoint requires at least one of these roles; a role map takes precedence. Default none. Config, meta. Specification:
   * Roles 4.
   */
  readonly API_ROLES_ACCEPTED?: readonly string[] | string
  /** Row-level access. Default: everything is allowed. Config, meta. Specification: Access policies. */
  readonly API_ACCESS_POLICY?: AccessPolicyOption<User, DB>

  // ------------------------------------------------------------------ users and credentials

  /**
   * The model of the users; types `user` in the hooks of the configuration, so that API_CUSTOM_AUTH returns its records. Unset by
   * default. Config only. Specification: User resource.
   */
  readonly API_USER_MODEL?: UserModel
  /** The field by which a login name finds its user. Unset by default. Config only. Specification: User resource. */
  readonly API_USER_LOOKUP_FIELD?: string
  /** The method of the user model that checks a password. Unset by default. Config only. Specification: User resource. */
  readonly API_CREDENTIAL_CHECK_METHOD?: string
  /**
   * The cost of bcrypt hashes, which take 2^cost rounds, 4 to 16: of `transform: hashPassword`, of `passwordCheck` with `rehash`,
   * and the lowest of checks of an unknown name. Default 10. Config only.
   */
  readonly API_PASSWORD_COST?: number
  /** The field that holds the hash of an API key. Unset by default. Config only. Specification: User resource. */
  readonly API_CREDENTIAL_HASH_FIELD?: string
  /**
   * Seconds for which the user of an access token is cached in the process, at most 3600; a change or removal of the user or its
   * roles takes effect after that time. Default 0: it is read for each request. Config only.
   */
  readonly API_USER_CACHE?: number
  /** Takes an API key, returns its user or nothing. Unset by default. Config only. Specification: Strategies. */
  readonly API_KEY_AUTH_AND_RETURN_METHOD?: ApiKeyLookup<KeyUser>
  /** The custom strategy: returns true, the user, or nothing. Unset by default. Config only. Specification: Strategies. */
  readonly API_CUSTOM_AUTH?: CustomAuth<CustomUser> & OtherUser<UserModel, CustomUser>
  /**
   * Whether API_CUSTOM_AUTH is called once for a batch, with its request (`POST /api/batch`), instead of once for each operation.
   * The function must then decide by the credential alone; it may ask all requests that are not reads for a CSRF token. Default
   * false. Config only.
   */
  readonly API_CUSTOM_AUTH_PER_BATCH?: boolean
  /**
   * Where the custom strategy finds its credential, for the OpenAPI document and `Vary`: `{ in: 'cookie', name: 'session' }`,
   * `{ in: 'header', name: 'X-Session' }` or `{ in: 'bearer', format: 'JWT' }`. With a cookie, `csrf: 'x-csrf-token'` names a header that
   * writes need as well. Default: the header `Authorization`. Config only.
   */
  readonly API_CUSTOM_AUTH_SCHEME?: CustomAuthScheme

  // ------------------------------------------------------------------ tokens

  /** Lifetime of an access token in minutes. Default 360. Config only. Specification: JWT settings. */
  readonly API_JWT_EXPIRY_TIME?: number
  /** Lifetime of a refresh token in minutes. Default 2880. Config only. Specification: JWT settings. */
  readonly API_JWT_REFRESH_EXPIRY_TIME?: number
  /** Signing algorithm. Default `HS256`; `RS256` uses key pairs. Config only. Specification: JWT settings. */
  readonly API_JWT_ALGORITHM?: string
  /**
   * Algorithms accepted in verification, a list or comma-separated. Default: the signing algorithm. Config only. Specification: JWT
   * settings.
   */
  readonly API_JWT_ALLOWED_ALGORITHMS?: readonly string[] | string
  /**
   * The claim `iss` of issued tokens; tokens with another or none are refused. Unset by default. Config only. Specification: Token
   * claims.
   */
  readonly API_JWT_ISSUER?: string
  /**
   * The claim `aud` of issued tokens; tokens with another or none are refused. Unset by default. Config only. Specification: Token
   * claims.
   */
  readonly API_JWT_AUDIENCE?: string
  /** Clock skew in seconds allowed for `exp` and `iat`. Default 0. Config only. Specification: JWT settings. */
  readonly API_JWT_LEEWAY?: number
  /** Secret that signs access tokens; the environment variable of this name takes precedence. Config only. Specification: JWT settings. */
  readonly ACCESS_SECRET_KEY?: string
  /** Secret that signs refresh tokens; the environment variable of this name takes precedence. Config only. Specification: JWT settings. */
  readonly REFRESH_SECRET_KEY?: string
  /** PEM key that signs access tokens with RS256. Config only. Specification: JWT settings. */
  readonly ACCESS_PRIVATE_KEY?: string
  /** PEM key that verifies access tokens with RS256. Config only. Specification: JWT settings. */
  readonly ACCESS_PUBLIC_KEY?: string
  /** PEM key that signs refresh tokens with RS256. Config only. Specification: JWT settings. */
  readonly REFRESH_PRIVATE_KEY?: string
  /** PEM key that verifies refresh tokens with RS256. Config only. Specification: JWT settings. */
  readonly REFRESH_PUBLIC_KEY?: string
  /**
   * Where access tokens are looked for, in order: `'header'`, `'cookie'`, a function of the request, or one named as `'module#export'`.
   * Default `['header']`. Config only. Specification: Token providers.
   */
  readonly API_AUTH_TOKEN_PROVIDERS?: readonly TokenProvider[]
  /** The cookie that the `cookie` provider reads. Default `access_token`. Config only. Specification: Token providers. */
  readonly API_AUTH_COOKIE_NAME?: string

  // ------------------------------------------------------------------ authentication routes

  /** false: no routes under `/auth`. Default true. Config only. Specification: Route settings. */
  readonly API_AUTO_AUTH_ROUTES?: boolean
  /** Path of the refresh endpoint. Default `/auth/refresh`. Config only. Specification: Route settings. */
  readonly API_AUTH_REFRESH_ROUTE?: string
  /** Path of the current-user endpoint. Default `/auth/me`. Config only. Specification: Route settings. */
  readonly API_AUTH_ME_ROUTE?: string
  /** false: no current-user endpoint. Default true. Config only. Specification: Route settings. */
  readonly API_EXPOSE_ME?: boolean

  // ------------------------------------------------------------------ rate limits

  /** `<count> per <period>`, several joined by `;`. Default none. Config, meta (also `get_rate_limit` …). Specification: Limits. */
  readonly API_RATE_LIMIT?: string
  /** Where requests are counted: an object with the methods `hit` and, if possible, `peek`. Default: the memory of the process. Config only. */
  readonly API_RATE_LIMIT_STORE?: RateLimitStore
  /** Limit of login and refresh, per address and per account. Default `10 per minute`. Config only. */
  readonly API_LOGIN_RATE_LIMIT?: string
  /** Proxies whose `X-Forwarded-For` is trusted: CIDR ranges, or the number of hops. Default none. Config only. */
  readonly API_TRUSTED_PROXIES?: readonly string[] | number

  // ------------------------------------------------------------------ documentation

  /** Serves the documentation page and the OpenAPI document. Default true. Config only. */
  readonly API_CREATE_DOCS?: boolean
  /** Path of the documentation page. Default `/docs`. Config only. */
  readonly API_DOCUMENTATION_URL?: string
  /** Path of the OpenAPI document. Default `/docs/apispec.json`. Config only. */
  readonly API_DOCS_SPEC_ROUTE?: string
  /** The documentation requires authentication. Default false. Config only. */
  readonly API_DOCUMENTATION_REQUIRE_AUTH?: boolean
  /** Description of the API, for the OpenAPI document. Unset by default. Config only. */
  readonly API_DESCRIPTION?: string
  /** Contact name, for the OpenAPI document. Unset by default. Config only. */
  readonly API_CONTACT_NAME?: string
  /** Contact e-mail address. Unset by default. Config only. */
  readonly API_CONTACT_EMAIL?: string
  /** Contact page. Unset by default. Config only. */
  readonly API_CONTACT_URL?: string
  /** Licence of the API, for the OpenAPI document. Unset by default. Config only. */
  readonly API_LICENCE_NAME?: string
  /** URL of the licence. Unset by default. Config only. */
  readonly API_LICENCE_URL?: string
  /** URLs where the API is served, for the OpenAPI document: one or several. Unset by default. Config only. */
  readonly API_SERVER_URLS?: readonly string[] | string
  /** Logo of the documentation page. Unset by default. Config only. */
  readonly API_LOGO_URL?: string
  /**
   * Receives a copy of the OpenAPI document and returns the one that is served, once for each version. Default none. Config only.
   */
  readonly API_OPENAPI_CALLBACK?: OpenApiCallback

  // ------------------------------------------------------------------ pages

  /**
   * Sends HTML to browsers: a GET whose `Accept` prefers `text/html` gets a page with the data of the JSON response. Default true,
   * unless the environment variable `NODE_ENV` is `production` or there is no environment, as in workers. Config only.
   */
  readonly API_HTML_PAGES?: boolean

  // ------------------------------------------------------------------ health

  /**
   * Path that responds with 200 while the process runs; `<path>/ready` responds with 200 while requests can be served, else 503.
   * Default none; `model-api serve` sets `/health`. Config only.
   */
  readonly API_HEALTH_ROUTE?: string

  // ------------------------------------------------------------------ batch

  /**
   * Serves `POST <API_PREFIX><API_BATCH_ROUTE>`: several requests of this API in one transaction, all or none. Default false. Config only.
   */
  readonly API_ALLOW_BATCH?: boolean
  /** Path of the batch endpoint below API_PREFIX. Default `/batch`. Config only. */
  readonly API_BATCH_ROUTE?: string
  /** Maximum number of operations of one batch. Default 1000. Config only. */
  readonly API_MAX_BATCH?: number
  /**
   * Maximum total length of the results of one batch, in characters; more is 400, and nothing is stored. Default 16777216. Config only.
   */
  readonly API_MAX_BATCH_RESPONSE?: number
  /**
   * Longest batch in milliseconds, including the wait for a connection and all retries; longer is 503, and nothing is stored.
   * Default 30000. Config only.
   */
  readonly API_BATCH_TIMEOUT?: number

  // ------------------------------------------------------------------ replicas

  /**
   * Whether clients see their own writes although `replicas` lag. `header`: a write returns `X-Write-Position`; a read that sends it
   * uses a replica that has reached that position within 50 ms, or the primary. `cookie`: the same with a cookie. Default `off`.
   * Config only.
   */
  readonly API_READ_YOUR_WRITES?: ReadYourWrites

  /**
   * Whether GET and HEAD read the user of an access token, with its roles, from a replica, so that a removal takes effect there when
   * the replica has received it. A user that the replica lacks, and those of writes, login and refresh, are read from the primary.
   * Default false: all users are read from the primary. Config only.
   */
  readonly API_USERS_FROM_REPLICAS?: boolean

  // ------------------------------------------------------------------ schema check

  /**
   * What happens if a model and the database differ: in tables, columns, types, lengths, nullability, enum members, keys, unique
   * constraints, foreign keys or defaults. The schema is read once, at `ready` or after the first request. `warn`: `onWarning` lists
   * the differences; `ready` rejects only if every POST must fail. `error`: `ready` rejects, and requests get 503. `off` in meta
   * skips the model, also in `model-api check`; in config, all models, but not in `model-api check`. Default `warn`. Config, meta.
   */
  readonly API_SCHEMA_CHECK?: SchemaCheckMode

  // ------------------------------------------------------------------ request limits

  /**
   * Longest statement in milliseconds; longer is 503. The database server cancels it if it supports that; a second later the API
   * closes the connection. Waiting for a connection has the same limit. Default 5000. Config only.
   */
  readonly API_STATEMENT_TIMEOUT?: number
  /**
   * Milliseconds within which a callback, policy hook, validator or other host function must settle; later is 500. Default 10000.
   * Config only.
   */
  readonly API_HOOK_TIMEOUT?: number
  /** Largest body in bytes; larger is 413. Default 1048576. Config only. */
  readonly API_BODY_LIMIT?: number
  /** Longest URL in characters; longer is 414. Default 8192. Config only. */
  readonly API_MAX_URL_LENGTH?: number
  /** Maximum number of conditions, aggregates, grouping keys and order terms of one request, at most 1000. Default 100. Config, meta. */
  readonly API_MAX_CONDITIONS?: number
  /** Maximum number of values of one list, at most 10000. Default 1000. Config, meta. */
  readonly API_MAX_LIST?: number
  /**
   * Maximum number of relations in `exists(…)` and `missing(…)` of one request, at most 50; each relation of a path counts.
   * Default 10. Config, meta.
   */
  readonly API_MAX_RELATION_FILTERS?: number
  /** Maximum number of joined relations, at most 20. Default 8. Config, meta. */
  readonly API_MAX_JOINS?: number
  /** Maximum depth of relation paths, embedding and nested bodies, at most 12. Default 4. Config, meta. */
  readonly API_MAX_DEPTH?: number
  /** Maximum number of embedded rows of one response. Default 10000. Config, meta. */
  readonly API_MAX_EMBEDDED_ROWS?: number
  /**
   * Maximum number of records and links that a request or an operation of a batch writes or deletes, nested ones and dependents
   * included; more is 400. Default 1000. Config, meta.
   */
  readonly API_MAX_BULK?: number
}
