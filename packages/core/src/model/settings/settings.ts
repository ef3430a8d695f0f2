// Settings: the resolved form of `API_*` and Meta; complete, typed, readonly. `resolve-settings.ts` builds them.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type {
  AccessPolicyOption,
  RateLimitStore,
  RoleMap,
  StrategyName,
} from './access/access-types.ts'
import type { DefaultFunction, OpenApiCallback } from './access/hook-types.ts'
import type { Requirements } from './access/requirements.ts'
import type { HookSettings, HooksByMethod } from './access/resolve-hooks.ts'
import type { AuthSettings } from './auth/auth-settings.ts'
import type { IpRange } from './auth/ip-range.ts'
import type { RateSettings } from './auth/rate-settings.ts'
import type { RateWindow } from './auth/rate-windows.ts'
import type { BulkMethod, ReadYourWrites, SchemaCheckMode } from './config.ts'
import type { DeclaredCode } from './error-codes.ts'

/** Which members of the envelope are written (API_DUMP_*). */
export interface DumpSettings {
  readonly envelope: boolean
  readonly datetime: boolean
  readonly version: boolean
  readonly statusCode: boolean
  readonly responseMs: boolean
  readonly totalCount: boolean
  readonly nullNextUrl: boolean
  readonly nullPreviousUrl: boolean
  readonly nullErrors: boolean
  readonly requestId: boolean
}

/** Request limits (API_MAX_*). */
export interface LimitSettings {
  readonly urlLength: number
  readonly conditions: number
  readonly list: number
  readonly relationFilters: number
  readonly joins: number
  readonly depth: number
  readonly embeddedRows: number
  readonly bulk: number
}

/** A role map and where it was written, as problems and explanations name it. */
export interface RoleMapSetting {
  /** `config.API_ROLE_MAP`, `models.Book.meta.roles_required`. */
  readonly at: string
  readonly map: RoleMap
}

/** A policy as configured, and where it is configured. */
export interface PolicySetting {
  readonly at: string
  readonly policy: AccessPolicyOption
}

export type EndpointCase = 'kebab' | 'snake' | 'camel' | 'pascal'
export type SerializationType = 'url' | 'json' | 'dynamic' | 'hybrid'
export type CountMode = 'exact' | 'capped' | 'none'

/** The description of the API in the OpenAPI document. */
export interface InfoSettings {
  readonly description: string | undefined
  readonly contactName: string | undefined
  readonly contactEmail: string | undefined
  readonly contactUrl: string | undefined
  readonly licenceName: string | undefined
  readonly licenceUrl: string | undefined
  readonly serverUrls: readonly string[]
  readonly logoUrl: string | undefined
}

/** Where the documentation is served, and whether it requires authentication. */
export interface DocsSettings {
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

/** Settings of the whole API. */
export interface ApiSettings {
  /** Callbacks of requests that match no resource. */
  readonly hooks: HookSettings
  readonly title: string
  readonly version: string
  readonly prefix: string
  /** The origin of URLs in responses, or empty. */
  readonly baseUrl: string
  readonly endpointCase: EndpointCase
  /** Milliseconds after which a statement is cancelled. */
  readonly statementTimeout: number
  /** Milliseconds within which a host function's promise must settle. */
  readonly hookTimeout: number
  /** Largest body in bytes. */
  readonly bodyLimit: number
  /** How a write sends its client the log position that replicas must reach. */
  readonly readYourWrites: ReadYourWrites
  /** Whether reads look up their user in replicas. */
  readonly usersFromReplicas: boolean
  /** Whether responses have the header Server-Timing. */
  readonly serverTiming: boolean
  /** The codes of the host that every resource has, unless its meta replaces them. */
  readonly errorCodes: readonly DeclaredCode[]
  readonly info: InfoSettings
  /** Whether browsers get HTML pages. */
  readonly htmlPages: boolean
  /** Null if no health route is served. */
  readonly healthRoute: string | null
  /** Null if no batch endpoint is served. */
  readonly batch: BatchSettings | null
  /** Null if no documentation is served. */
  readonly docs: DocsSettings | null
  /** Changes each version of the OpenAPI document. */
  readonly openApiCallback: OpenApiCallback | undefined
  /** The paths of endpoints that are disabled, each with the key that enables it. */
  readonly disabledEndpoints: ReadonlyMap<string, string>
  readonly dump: DumpSettings
  readonly limits: LimitSettings
  readonly auth: AuthSettings
  /** The host's own query parameters on endpoints that belong to no model. */
  readonly additionalQueryParams: readonly string[]
  /** The rate limit of endpoints that belong to no model. */
  readonly rateWindows: readonly RateWindow[]
  readonly rateStore: RateLimitStore | undefined
  /** The proxies whose X-Forwarded-For is trusted: address ranges, or a number of hops. */
  readonly trustedProxies: readonly IpRange[] | number
}

/** How records are marked as deleted. */
export interface SoftDeleteSettings {
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

/** Settings of one resource: from the meta of its model, otherwise from config. */
export interface ResourceSettings {
  readonly hooks: HooksByMethod
  /** The allowed methods without the blocked ones. */
  readonly methods: ReadonlySet<string>
  readonly allowJoin: boolean
  readonly allowFilters: boolean
  readonly allowOrderBy: boolean
  readonly allowSelectFields: boolean
  readonly allowGroupby: boolean
  readonly listEtags: boolean
  readonly allowAggregation: boolean
  readonly allowNestedWrites: boolean
  /** The methods that may write many records at once. */
  readonly bulkMethods: ReadonlySet<BulkMethod>
  readonly allowUpsert: boolean
  readonly showTriggerMessages: boolean
  /** What happens if the model and the database differ. */
  readonly schemaCheck: SchemaCheckMode
  /** Whether a change of the record that the path names needs its ETag in If-Match. */
  readonly requireIfMatch: boolean
  /** Whether changes of other stored records, for whose ETags a request has no place, are refused. */
  readonly requireIfMatchEverywhere: boolean
  readonly allowCascadeDelete: boolean
  readonly serializationType: SerializationType
  /** Undefined when not set explicitly: json and hybrid then embed one level. */
  readonly serializationDepth: number | undefined
  readonly addRelations: boolean
  readonly pageSizeDefault: number
  readonly pageSizeMax: number
  readonly count: CountMode
  readonly softDelete: SoftDeleteSettings | null
  /** The column of soft delete if soft delete is enabled and the model does not have the column. */
  readonly lackedSoftDeleteColumn: string | undefined
  readonly additionalQueryParams: readonly string[]
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
  readonly policy: PolicySetting | null
  /** The strategies that protect the resource; empty: it is public. */
  readonly strategies: readonly StrategyName[]
  /** Whether actions need authentication. An action to which no key applies needs it. */
  readonly requirements: Requirements
  readonly rates: RateSettings
  readonly description: string | undefined
  readonly tag: string | undefined
  readonly tagGroup: string | undefined
  readonly summaries: Summaries
}
