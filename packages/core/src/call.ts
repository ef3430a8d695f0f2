// Call: a request on its way through the stages; Runtime: what createApi built for all requests. Types only.

import type { OpenAPIObject } from 'openapi3-ts/oas31'
import type { Action } from './access/action.ts'
import type { Policies } from './access/policy.ts'
import type { Caller } from './access/roles.ts'
import type { Auth } from './auth/create-auth.ts'
import type { RefreshTokenStore } from './auth/refresh-tokens.ts'
import type { CallHook } from './call-hook.ts'
import type { FastPaths } from './config/fast-paths.ts'
import type { HookSettings } from './config/resolve-hooks.ts'
import type { ApiSettings } from './config/settings.ts'
import type { Dialect } from './dialect/dialect.ts'
import type { Readiness } from './execute/readiness.ts'
import type { Replica } from './execute/replica.ts'
import type { Replicas } from './execute/replicas.ts'
import type { SharedCounts } from './execute/shared-counts.ts'
import type { Stamp } from './http/envelope.ts'
import type { Refusal } from './http/refusal.ts'
import type { ApiRequest } from './http/request.ts'
import type { RouteTable } from './http/route-table.ts'
import type { Timing } from './http/server-timing.ts'
import type { Limiter } from './limits/limiter.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Reach } from './plan/context.ts'
import type { ReadPlan } from './plan/plan.ts'
import type { KeptValues } from './plan-cache/kept.ts'
import type { ReadCache } from './plan-cache/read-cache.ts'
import type { Registry, ResolvedRelation, Resource } from './registry/resource.ts'
import type { AnyDatabase } from './sql/any-database.ts'

/** The clock of the service; tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed point, monotonic. */
  elapsed(): number
}

/** Everything that `createApi` builds once. */
export interface Runtime {
  readonly settings: ApiSettings
  /** Which optimisations are enabled. */
  readonly fastPaths: FastPaths
  readonly registry: Registry
  readonly routes: RouteTable
  readonly schema: string | undefined
  /** Whether a caller without credentials may list a resource. */
  readonly anonymousReach: Reach
  /** The access policy of each resource that has one. */
  readonly policies: Policies
  readonly clock: Clock
  /** The connected dialect; inside a transaction its look-up runs on that connection. */
  dialect(on?: AnyDatabase): MaybePromise<Dialect>
  /** The connection of a request: `db`, or what API_SESSION_GETTER returns. */
  session(request: ApiRequest): MaybePromise<AnyDatabase>
  /** Calls functions of the host, with API_HOOK_TIMEOUT. */
  readonly callHook: CallHook
  /** `callHook` for hooks that receive this connection. */
  callHookOn(db: AnyDatabase): CallHook
  /** Reports an unexpected error to `onError`; never throws. */
  report(error: unknown, request: ApiRequest): void
  /** Reports a 401, 403 or 429 to `onRefusal`; never throws. */
  refused(refusal: Refusal): void
  /** Reports a probable mistake to `onWarning`; never throws. */
  warn(message: string): void
  /** The `db` of `createApi`. */
  readonly root: AnyDatabase
  /** The read replicas; undefined if there are none. */
  readonly replicas: Replicas | undefined
  /** The state of the health route. */
  readonly readiness: Readiness
  readonly counts: SharedCounts | undefined
  /** Cached reads, by query and authority. */
  readonly reads: ReadCache
  /** Cached plans of the records that writes return, by query and authority. */
  readonly echoes: KeptValues<ReadPlan>
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  readonly limiter: Limiter
  /** The OpenAPI document, built on first use. */
  document(): OpenAPIObject
}

/** A request being served. */
export interface Call {
  readonly runtime: Runtime
  readonly request: ApiRequest
  /** In upper case. */
  readonly method: string
  /** Path as received, without the query. */
  readonly path: string
  /** Raw query string. */
  readonly query: string
  /** The resource whose records are returned: on a relation route, the target. */
  readonly resource: Resource
  readonly action: Action
  /** The relation of a relation route. */
  readonly relation: ResolvedRelation | null
  /** The callbacks of this resource and method. */
  readonly hooks: HookSettings
  /** The beginning of URLs in responses: origin, mount prefix and API prefix. */
  readonly base: string
  /** What precedes the request's path in page links: origin and mount prefix. */
  readonly origin: string
  /** Whether the value may be serialised directly to JSON text: no hook and no caller needs it as an object. */
  readonly asText: boolean
  /** The caller; anonymous until the request is authenticated. */
  readonly caller: Caller
  /** Whether the caller may list a resource. */
  readonly reach: Reach
  /** The replica that this read uses; absent if it uses the primary. */
  readonly replica?: Replica
  /** The transaction of a write, with the host's plugins; absent outside of one. */
  readonly transaction?: AnyDatabase
  /** Version, request id and time for the envelope. */
  stamp(): Stamp
  /** The timer for Server-Timing; undefined if that is off. */
  readonly timing: Timing | undefined
}
