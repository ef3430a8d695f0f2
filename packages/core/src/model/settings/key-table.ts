// The key table: every configuration key with its default, its level and its check.

import { isParameter, operatorSuffix } from '../query-words/query-names.ts'
import { authRequirements, roleMap } from './access/access-keys.ts'
import { hasHooks, policy } from './access/check-policy.ts'
import { customAuthScheme } from './auth/custom-auth-scheme.ts'
import { parseIpRange } from './auth/ip-range.ts'
import { leastPasswordCost, mostPasswordCost, usualPasswordCost } from './auth/password-cost.ts'
import type { ApiConfig } from './config.ts'
import { bulkMethods } from './endpoints/bulk-methods.ts'
import { errorCodes } from './error-codes.ts'
import type { ApiOnlyKey, OwnMeta } from './meta.ts'
import {
  boolean,
  booleanOr,
  booleanOrList,
  type Check,
  callable,
  either,
  endpointPath,
  integer,
  listOf,
  matching,
  object,
  oneOf,
  oneOrMore,
  origin,
  path,
  rateLimit,
  secret,
  shown,
  text,
  url,
} from './setting-checks.ts'

/** The definition of a configuration key. */
export interface KeyEntry<
  Value = unknown,
  Level extends 'api' | 'model' | 'both' = 'api' | 'model' | 'both',
> {
  /** Undefined: unset by default. */
  readonly default: Value | undefined
  /** `api`: config only; `both`: config and meta; `model`: meta only. */
  readonly level: Level
  readonly check: Check
  /** Whether a wrong value is kept, because a later check finds the mistakes in its parts that `check` does not look at. */
  readonly keepsWrong?: (value: unknown) => boolean
  /** Whether the setting restricts what callers may do. If it is present and undefined, start-up fails, because without it they may do more. */
  readonly restricts?: true
}

type KeyTable = {
  readonly [K in keyof ApiConfig]-?: KeyEntry<ApiConfig[K], K extends ApiOnlyKey ? 'api' : 'both'>
}

const api = { level: 'api' } as const
const both = { level: 'both' } as const
const unset = { default: undefined } as const
const restricting = { ...unset, restricts: true } as const

const on = { default: true, ...both, check: boolean } as const
const off = { default: false, ...both, check: boolean } as const
const callback = { ...unset, ...both, check: callable } as const
const info = { ...unset, ...api, check: text } as const
const infoUrl = { ...unset, ...api, check: url } as const
const key = { ...unset, ...api, check: secret } as const
const authText = { ...unset, ...api, check: text } as const
const limit = (value: number, most?: number, because?: string) =>
  ({ default: value, ...both, check: integer(1, most, because) }) as const

const variables = 'Every value is a parameter of the statement, and databases allow 32766 of them.'

const tables = 'Databases join at most 61 tables in a statement, and a relation may need three.'

const nesting = 'Databases nest about 60 subqueries, and a relation may need two.'

const planning = 'Databases take minutes to plan a statement with more of them.'

const timers = 'JavaScript timers run for at most 24 days.'

const hostParameter: Check = (value) => {
  const name = matching(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'a name of letters, digits, _ and -')(value)
  if (name !== undefined) return name
  const suffix = operatorSuffix(String(value))
  if (suffix !== undefined) return `${shown(value)} ends in "__${suffix}", which is a filter.`
  return isParameter(String(value))
    ? `${shown(value)} is a parameter of the query language.`
    : undefined
}

const methods = listOf(oneOf('GET', 'POST', 'PATCH', 'PUT', 'DELETE'))

const pair: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value[0] !== value[1]
    ? undefined
    : 'expected a pair of different values: of an active record, and of a deleted one.'

const isMap = (value: unknown): boolean => object(value) === undefined

const ipRange: Check = (value) =>
  typeof value === 'string' && parseIpRange(value) !== undefined
    ? undefined
    : 'expected an address or a range such as "10.0.0.0/8".'

const tokenProvider: Check = matching(
  /^(?:header|cookie|[^#]+#[A-Za-z_$][\w$]*)$/,
  '"header", "cookie", a function, or "module#export"',
)

const rateLimitStore: Check = (value) =>
  typeof (value as { hit?: unknown } | null)?.hit === 'function'
    ? undefined
    : 'expected a store with the method hit(key, windowMs, now), such as redisRateLimitStore(client).'

/** Every key of the configuration. */
export const keyTable: KeyTable = {
  API_TITLE: { default: 'API', ...api, check: text },
  API_VERSION: { default: '1.0.0', ...api, check: text },
  API_BASE_MODEL: { ...unset, ...api, check: object },
  API_SESSION_GETTER: { ...unset, ...api, check: callable },
  API_PREFIX: { default: '/api', ...api, check: path },
  API_BASE_URL: { default: '', ...api, check: origin },
  API_ENDPOINT_CASE: {
    default: 'kebab',
    ...api,
    check: oneOf('kebab', 'snake', 'camel', 'pascal'),
  },

  API_SERIALIZATION_TYPE: {
    default: 'url',
    ...both,
    check: oneOf('url', 'json', 'dynamic', 'hybrid'),
  },
  API_SERIALIZATION_DEPTH: { ...unset, ...both, check: integer(0) },
  API_ADD_RELATIONS: on,
  API_ALLOW_JOIN: off,
  API_ALLOW_FILTERS: on,
  API_ALLOW_ORDER_BY: on,
  API_ALLOW_SELECT_FIELDS: on,
  API_ALLOW_GROUPBY: off,
  API_ALLOW_AGGREGATION: off,
  API_PAGINATION_SIZE_DEFAULT: { default: 20, ...both, check: integer(1) },
  API_PAGINATION_SIZE_MAX: { default: 100, ...both, check: integer(1) },
  API_COUNT: { default: 'exact', ...both, check: oneOf('exact', 'capped', 'none') },
  API_ADDITIONAL_QUERY_PARAMS: {
    default: [],
    ...both,
    check: listOf(hostParameter),
  },

  API_ALLOWED_METHODS: {
    default: ['GET', 'POST', 'PATCH', 'DELETE'],
    ...both,
    check: methods,
  },
  API_BLOCK_METHODS: { default: [], ...both, check: methods, restricts: true },
  API_ALLOW_NESTED_WRITES: off,
  API_ALLOW_BULK: { default: false, ...both, check: booleanOrList(bulkMethods) },
  API_ALLOW_UPSERT: on,
  API_SHOW_TRIGGER_MESSAGES: off,
  API_REQUIRE_IF_MATCH: { default: false, ...both, check: booleanOr('single') },
  API_ALLOW_CASCADE_DELETE: off,
  API_SOFT_DELETE: off,
  API_SOFT_DELETE_ATTRIBUTE: { ...unset, ...both, check: text },
  API_SOFT_DELETE_VALUES: { default: [false, true], ...both, check: pair },

  API_DUMP_DATETIME: on,
  API_DUMP_VERSION: on,
  API_DUMP_STATUS_CODE: on,
  API_DUMP_RESPONSE_MS: on,
  API_DUMP_TOTAL_COUNT: on,
  API_DUMP_NULL_NEXT_URL: on,
  API_DUMP_NULL_PREVIOUS_URL: on,
  API_DUMP_NULL_ERRORS: on,
  API_DUMP_ENVELOPE: on,
  API_DUMP_REQUEST_ID: off,
  API_LIST_ETAGS: off,
  API_SERVER_TIMING: { default: false, ...api, check: boolean },
  API_ERROR_CODES: { ...unset, ...both, check: errorCodes, keepsWrong: isMap },

  API_SETUP_CALLBACK: callback,
  API_FILTER_CALLBACK: { ...callback, restricts: true },
  API_ADD_CALLBACK: callback,
  API_UPDATE_CALLBACK: callback,
  API_REMOVE_CALLBACK: callback,
  API_DUMP_CALLBACK: callback,
  API_RETURN_CALLBACK: callback,
  API_FINAL_CALLBACK: callback,
  API_BEFORE_COMMIT_CALLBACK: callback,
  API_AFTER_COMMIT_CALLBACK: callback,
  API_ERROR_CALLBACK: callback,

  API_AUTHENTICATE_METHOD: {
    ...restricting,
    ...both,
    check: listOf(oneOf('jwt', 'basic', 'api_key', 'custom')),
  },
  API_AUTH_REQUIREMENTS: { ...unset, ...both, check: authRequirements },
  API_ROLE_MAP: { ...restricting, ...both, check: roleMap },
  API_ROLES_REQUIRED: { ...restricting, ...both, check: oneOrMore(text) },
  API_ROLES_ACCEPTED: { ...restricting, ...both, check: oneOrMore(text) },
  API_ACCESS_POLICY: { ...restricting, ...both, check: policy, keepsWrong: hasHooks },

  API_USER_MODEL: { ...unset, ...api, check: object },
  API_USER_LOOKUP_FIELD: authText,
  API_CREDENTIAL_CHECK_METHOD: authText,
  API_PASSWORD_COST: {
    default: usualPasswordCost,
    ...api,
    check: integer(leastPasswordCost, mostPasswordCost),
  },
  API_CREDENTIAL_HASH_FIELD: authText,
  API_USER_CACHE: { default: 0, ...api, check: integer(0, 3600) },
  API_KEY_AUTH_AND_RETURN_METHOD: { ...unset, ...api, check: callable },
  API_CUSTOM_AUTH: { ...unset, ...api, check: callable },
  API_CUSTOM_AUTH_PER_BATCH: { default: false, ...api, check: boolean },
  API_CUSTOM_AUTH_SCHEME: { ...unset, ...api, check: customAuthScheme },

  API_JWT_EXPIRY_TIME: { default: 360, ...api, check: integer(1) },
  API_JWT_REFRESH_EXPIRY_TIME: { default: 2880, ...api, check: integer(1) },
  API_JWT_ALGORITHM: { default: 'HS256', ...api, check: text },
  API_JWT_ALLOWED_ALGORITHMS: { ...unset, ...api, check: oneOrMore(text) },
  API_JWT_ISSUER: authText,
  API_JWT_AUDIENCE: authText,
  API_JWT_LEEWAY: { default: 0, ...api, check: integer(0, 300) },
  ACCESS_SECRET_KEY: key,
  REFRESH_SECRET_KEY: key,
  ACCESS_PRIVATE_KEY: key,
  ACCESS_PUBLIC_KEY: key,
  REFRESH_PRIVATE_KEY: key,
  REFRESH_PUBLIC_KEY: key,
  API_AUTH_TOKEN_PROVIDERS: {
    default: ['header'],
    ...api,
    check: listOf(either(tokenProvider, callable)),
  },
  API_AUTH_COOKIE_NAME: {
    default: 'access_token',
    ...api,
    check: matching(/^[A-Za-z0-9_.-]+$/, 'a name of letters, digits, _ . and -'),
  },

  API_AUTO_AUTH_ROUTES: { default: true, ...api, check: boolean },
  API_AUTH_REFRESH_ROUTE: { default: '/auth/refresh', ...api, check: path },
  API_AUTH_ME_ROUTE: { default: '/auth/me', ...api, check: path },
  API_EXPOSE_ME: { default: true, ...api, check: boolean },

  API_RATE_LIMIT: { ...unset, ...both, check: rateLimit },
  API_RATE_LIMIT_STORE: { ...unset, ...api, check: rateLimitStore },
  API_LOGIN_RATE_LIMIT: { default: '10 per minute', ...api, check: rateLimit },
  API_TRUSTED_PROXIES: { ...unset, ...api, check: either(listOf(ipRange), integer(0)) },

  API_CREATE_DOCS: { default: true, ...api, check: boolean },
  API_DOCUMENTATION_URL: { default: '/docs', ...api, check: path },
  API_DOCS_SPEC_ROUTE: { default: '/docs/apispec.json', ...api, check: path },
  API_DOCUMENTATION_REQUIRE_AUTH: { default: false, ...api, check: boolean },
  API_DESCRIPTION: info,
  API_CONTACT_NAME: info,
  API_CONTACT_EMAIL: info,
  API_CONTACT_URL: infoUrl,
  API_LICENCE_NAME: info,
  API_LICENCE_URL: infoUrl,
  API_SERVER_URLS: { ...unset, ...api, check: oneOrMore(url) },
  API_LOGO_URL: infoUrl,
  API_OPENAPI_CALLBACK: { ...unset, ...api, check: callable },

  API_HTML_PAGES: { ...unset, ...api, check: boolean },

  API_HEALTH_ROUTE: { ...unset, ...api, check: path },

  API_ALLOW_BATCH: { default: false, ...api, check: boolean },
  API_BATCH_ROUTE: { default: '/batch', ...api, check: path },
  API_MAX_BATCH: { default: 1000, ...api, check: integer(1) },
  API_MAX_BATCH_RESPONSE: { default: 16777216, ...api, check: integer(1) },
  API_BATCH_TIMEOUT: { default: 30000, ...api, check: integer(1) },

  API_READ_YOUR_WRITES: { default: 'off', ...api, check: oneOf('off', 'header', 'cookie') },
  API_USERS_FROM_REPLICAS: { default: false, ...api, check: boolean },

  API_SCHEMA_CHECK: { default: 'warn', ...both, check: oneOf('warn', 'error', 'off') },
  API_STATEMENT_TIMEOUT: { default: 5000, ...api, check: integer(1) },
  API_HOOK_TIMEOUT: { default: 10000, ...api, check: integer(1, 2147483647, timers) },
  API_BODY_LIMIT: { default: 1048576, ...api, check: integer(1) },
  API_MAX_URL_LENGTH: { default: 8192, ...api, check: integer(1) },
  API_MAX_CONDITIONS: limit(100, 1000, variables),
  API_MAX_LIST: limit(1000, 10000, variables),
  API_MAX_RELATION_FILTERS: limit(10, 50, planning),
  API_MAX_JOINS: limit(8, 20, tables),
  API_MAX_DEPTH: limit(4, 12, nesting),
  API_MAX_EMBEDDED_ROWS: limit(10000),
  API_MAX_BULK: limit(1000),
}

type MetaTable = { readonly [K in keyof OwnMeta]-?: KeyEntry<OwnMeta[K], 'model'> }

const model = { level: 'model' } as const
const words = { ...unset, ...model, check: text } as const

/** The keys that only meta has. */
export const metaKeyTable: MetaTable = {
  endpoint: { ...unset, ...model, check: oneOrMore(endpointPath) },
  register_canonical_routes: { default: true, ...model, check: boolean },
  tag: words,
  tag_group: words,
  description: words,
  get_many_summary: words,
  get_single_summary: words,
  post_summary: words,
  patch_summary: words,
  delete_summary: words,
  api_role_map: { ...keyTable.API_ROLE_MAP, ...model },
}
