// Settings: the resolved form of `API_*` and Meta; complete, typed, readonly. `resolve-settings.ts` builds them at start-up, and requests read
// nothing else: `resource.settings.allowJoin`.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { AccessPolicyOption, RoleMap, StrategyName } from './access/access-types.ts'
import type { DefaultFunction } from './access/hook-types.ts'
import type { Requirements } from './access/requirements.ts'
import type { HookSettings, HooksByMethod } from './access/resolve-hooks.ts'
import type { AuthSettings } from './auth/auth-settings.ts'
import type { IpRange } from './auth/ip-range.ts'
import type { RateSettings } from './auth/rate-settings.ts'
import type { RateWindow } from './auth/rate-windows.ts'
import type { BulkMethod } from './config.ts'
import type { DeclaredCode } from './error-codes.ts'
import type { ApiKey, DumpKey, FieldsOf, LimitKey, ModelKey } from './field-names.ts'

/** Which members of the envelope are written (API_DUMP_*). */
export interface DumpSettings extends FieldsOf<DumpKey, 'API_DUMP_'> {}

/** Request limits (API_MAX_*). */
export interface LimitSettings extends FieldsOf<LimitKey, 'API_MAX_'> {}

/** A role map and where it was written, as problems and explanations name it. */
export interface RoleMapSetting {
  /** `config.API_ROLE_MAP`, `models.Book.meta.roles_required`. */
  readonly at: string
  readonly map: RoleMap
}

/** A policy as configured, and where it is configured. */
export interface PolicySetting {
  /** `models.Book.meta.access_policy` */
  readonly at: string
  readonly policy: AccessPolicyOption
}

/** The letter case of paths: `order-items`, `order_items`, `orderItems`, `OrderItems`. */
export type EndpointCase = 'kebab' | 'snake' | 'camel' | 'pascal'
/** How responses write relations: as URLs, embedded, embedded where joined, or to-one relations embedded. */
export type SerializationType = 'url' | 'json' | 'dynamic' | 'hybrid'
/** How lists count all matching records: exactly, exactly up to 10,000, or not at all. */
export type CountMode = 'exact' | 'capped' | 'none'

/** Where the documentation is served, and whether it requires authentication. */
export interface DocsSettings {
  /** Path of the documentation page. */
  readonly page: string
  /** Path of the script of the page. */
  readonly script: string
  /** Path of the document. */
  readonly spec: string
  /** Another path of the document, where many tools look for it. */
  readonly commonSpec: string
  readonly requireAuth: boolean
}

/** The model's own summaries of its operations in the OpenAPI document. */
export interface Summaries {
  readonly getMany: string | undefined
  readonly getSingle: string | undefined
  readonly post: string | undefined
  readonly patch: string | undefined
  readonly delete: string | undefined
}

/** Settings of the batch endpoint. */
export interface BatchSettings {
  /** The whole path of the endpoint: `/api/batch`. */
  readonly path: string
  /** Maximum number of operations of one batch. */
  readonly max: number
  /** Maximum total length of the results of one batch, in characters. */
  readonly maxResponse: number
  /** Milliseconds that a batch may take. */
  readonly timeout: number
}

/** Settings of the whole API. Keys that need no more are fields by their names. */
export interface ApiSettings extends FieldsOf<ApiKey> {
  /** Callbacks of requests that match no resource. */
  readonly hooks: HookSettings
  /** The codes of the host that every resource has, unless its meta replaces them. */
  readonly errorCodes: readonly DeclaredCode[]
  /** The addresses where the API is served. */
  readonly serverUrls: readonly string[]
  /** Whether browsers get HTML pages. */
  readonly htmlPages: boolean
  /** Null if no batch endpoint is served. */
  readonly batch: BatchSettings | null
  /** Null if no documentation is served. */
  readonly docs: DocsSettings | null
  /** The served paths that belong to no resource. */
  readonly ownRoutePaths: ReadonlySet<string>
  /** The paths of endpoints that are disabled, each with the key that enables it. */
  readonly disabledEndpoints: ReadonlyMap<string, string>
  readonly dump: DumpSettings
  readonly limits: LimitSettings
  readonly auth: AuthSettings
  /** The host's own query parameters on endpoints that belong to no model. */
  readonly additionalQueryParams: readonly string[]
  /** The rate limit of endpoints that belong to no model. */
  readonly rateWindows: readonly RateWindow[]
  /** The proxies whose X-Forwarded-For is trusted: address ranges, or a number of hops. */
  readonly trustedProxies: readonly IpRange[] | number
}

/** How records are marked as deleted. */
export interface SoftDeleteSettings {
  /** The field whose value says whether a record is deleted. */
  readonly attribute: string
  /** The value in an active record: null, or a value of the column. */
  readonly active: JsonValue
  readonly deleted: DeletedValue
}

/**
 * The value in a deleted record. With `value`, a record that has this value is deleted; with `now` or a function, a record that
 * does not have the `active` value is deleted.
 */
export type DeletedValue =
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** The time of the request. */
  | { readonly kind: 'now' }
  /** The result of a function of the host. */
  | { readonly kind: 'function'; readonly make: DefaultFunction }

/** Settings of one resource: from the meta of its model, otherwise from config. Keys that need no more are fields by their names. */
export interface ResourceSettings extends FieldsOf<ModelKey> {
  readonly hooks: HooksByMethod
  /** The allowed methods without the blocked ones. */
  readonly methods: ReadonlySet<string>
  /** The methods that may write many records at once. */
  readonly bulkMethods: ReadonlySet<BulkMethod>
  /** Undefined when not set explicitly: json and hybrid then embed one level. */
  readonly serializationDepth: number | undefined
  readonly pageSizeDefault: number
  readonly pageSizeMax: number
  /** Null: a DELETE removes the row. */
  readonly softDelete: SoftDeleteSettings | null
  /** The column of soft delete if soft delete is enabled and the model does not have the column. */
  readonly lackedSoftDeleteColumn: string | undefined
  /** The codes of errors that functions of the host throw. */
  readonly errorCodes: readonly DeclaredCode[]
  readonly dump: DumpSettings
  readonly limits: LimitSettings
  /** The role maps that apply; all must allow. Empty: no role is needed. */
  readonly roleMaps: readonly RoleMapSetting[]
  /** The role maps of config that the model's own role maps replace. */
  readonly replacedRoleMaps: readonly RoleMapSetting[]
  /** The lists of required and accepted roles that a role map of the same level takes precedence over. */
  readonly ignoredRoleLists: readonly RoleMapSetting[]
  /** Null: no policy restricts anything. */
  readonly policy: PolicySetting | null
  /** The strategies that protect the resource; empty: it is public. */
  readonly strategies: readonly StrategyName[]
  /** Whether actions need authentication. An action to which no key applies needs it. */
  readonly requirements: Requirements
  readonly rates: RateSettings
  readonly description: string | undefined
  readonly size: string | undefined
  readonly tag: string | undefined
  readonly tagGroup: string | undefined
  readonly summaries: Summaries
}
