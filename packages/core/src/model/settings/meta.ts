// Meta: the settings of one model, derived from ApiConfig (strip `API_`, lower case), plus the keys that only a model has.

import type { AnyModel } from '../define-model.ts'
import type { RoleMap } from './access/access-types.ts'
import type { HookTables, HookUser } from './access/hook-types.ts'
import type { ApiConfig } from './config.ts'

/** The keys of ApiConfig that apply to the whole API and are not allowed in meta. */
export type ApiOnlyKey = Extract<
  keyof ApiConfig,
  | `${'ACCESS' | 'REFRESH'}_${string}`
  | `API_${'TITLE' | 'VERSION' | 'BASE_MODEL' | 'SESSION_GETTER' | 'PREFIX' | 'BASE_URL' | 'ENDPOINT_CASE'}`
  | `API_${'USER' | 'CREDENTIAL' | 'JWT'}_${string}`
  | `API_${'PASSWORD_COST' | 'KEY_AUTH_AND_RETURN_METHOD' | 'CUSTOM_AUTH' | 'CUSTOM_AUTH_PER_BATCH' | 'CUSTOM_AUTH_SCHEME' | 'AUTH_TOKEN_PROVIDERS' | 'AUTH_COOKIE_NAME'}`
  | `API_AUTH_${string}_ROUTE`
  | `API_${'AUTO_AUTH_ROUTES' | 'EXPOSE_ME'}`
  | `API_${'RATE_LIMIT_STORE' | 'LOGIN_RATE_LIMIT' | 'TRUSTED_PROXIES'}`
  | `API_${'CREATE_DOCS' | 'DESCRIPTION' | 'LOGO_URL' | 'OPENAPI_CALLBACK' | 'SERVER_URLS' | 'SERVER_TIMING'}`
  | `API_${'DOCUMENTATION' | 'DOCS' | 'CONTACT' | 'LICENCE'}_${string}`
  | `API_${'ALLOW_BATCH' | 'BATCH_ROUTE' | 'MAX_BATCH' | 'MAX_BATCH_RESPONSE' | 'BATCH_TIMEOUT'}`
  | `API_${'HTML_PAGES' | 'HEALTH_ROUTE' | 'READ_YOUR_WRITES' | 'USERS_FROM_REPLICAS' | 'STATEMENT_TIMEOUT' | 'HOOK_TIMEOUT' | 'BODY_LIMIT' | 'MAX_URL_LENGTH'}`
>

/** The name in meta of a key of ApiConfig. */
export type MetaKeyOf<K extends string> = K extends `API_${infer Rest}` ? Lowercase<Rest> : never

/** The keys of ApiConfig that are allowed in meta, by their names there. */
type SharedMeta<User, DB> = {
  readonly [K in Exclude<keyof ApiConfig, ApiOnlyKey> as MetaKeyOf<K>]?: ApiConfig<
    AnyModel,
    HookUser,
    HookUser,
    User,
    DB
  >[K]
}

/** The methods for which meta can set a rate limit or a callback of their own. */
export type MetaMethod = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** The callbacks of SharedMeta, for one method only: `get_return_callback`. */
type MethodCallbacks<User, DB> = {
  readonly [K in keyof SharedMeta<User, DB> &
    `${string}_callback` as `${MetaMethod}_${K}`]?: SharedMeta<User, DB>[K]
}

/** `post_rate_limit: '5 per minute'`: a limit of that method on this model only. */
type MethodRateLimits = { readonly [M in MetaMethod as `${M}_rate_limit`]?: string }

/** The keys that only a model has. */
export interface OwnMeta {
  /**
   * Paths below API_PREFIX that serve the model beside its canonical one; may contain `/`. Specification: Generated resource
   * endpoints 1.
   */
  readonly endpoint?: string | readonly string[]
  /**
   * false: the canonical URLs stay free for handlers of the host; only `endpoint` is served. Default true. Specification: Generated
   * resource endpoints 3.
   */
  readonly register_canonical_routes?: boolean
  /** The model's section of the documentation. Default: the model's name. */
  readonly tag?: string
  /** The group of the model's section in the documentation. */
  readonly tag_group?: string
  /** Text about the model, for the documentation. */
  readonly description?: string
  /** Summary of GET on the collection. */
  readonly get_many_summary?: string
  /** Summary of GET on one record. */
  readonly get_single_summary?: string
  /** Summary of POST. */
  readonly post_summary?: string
  /** Summary of PATCH. */
  readonly patch_summary?: string
  /** Summary of DELETE. */
  readonly delete_summary?: string
  /** Another spelling of `role_map`; setting both is an error. Specification: Roles 3. */
  readonly api_role_map?: RoleMap
}

/**
 * The settings of one model; `meta: {}` publishes it with the API's own settings. Every key:
 * https://github.com/model-api/model-api/blob/main/docs/reference/configuration.md
 *
 * ```ts
 * meta: { allow_join: true, allowed_methods: ['GET', 'POST'], post_rate_limit: '5 per minute' }
 * ```
 */
export interface Meta<User = HookUser, DB = HookTables>
  extends SharedMeta<User, DB>,
    MethodCallbacks<User, DB>,
    MethodRateLimits,
    OwnMeta {}

/** Returns the name in meta of a configuration key: `API_ALLOW_JOIN` → `allow_join`. */
export const metaKeyOf = (key: string): string => key.replace(/^API_/, '').toLowerCase()

/** Returns the configuration key of a name in meta: `allow_join` → `API_ALLOW_JOIN`. */
export const configKeyOf = (metaKey: string): string => `API_${metaKey.toUpperCase()}`
