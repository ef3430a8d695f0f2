// Call: what one request carries through the stages. Types only.

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

/** Time as the service sees it; tests move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds from any fixed point, never going back. */
  elapsed(): number
}

/** Everything that was built once, in `createApi`. */
export interface Runtime {
  readonly settings: ApiSettings
  /** Which shorter ways to the same answers are taken. */
  readonly fastPaths: FastPaths
  readonly registry: Registry
  readonly routes: RouteTable
  readonly schema: string | undefined
  /** Whether somebody without any credential may list a resource. */
  readonly anonymousReach: Reach
  /** The access policy of each resource that has one. */
  readonly policies: Policies
  readonly clock: Clock
  /** The dialect, once what it must know of the server is known; looked up on this connection where that is a transaction. */
  dialect(on?: AnyDatabase): MaybePromise<Dialect>
  /** The connection of one request: the user's own instance, or what API_SESSION_GETTER hands in. */
  session(request: ApiRequest): MaybePromise<AnyDatabase>
  /** Calls code of the host, which must come to an end. */
  readonly callHook: CallHook
  /** As `callHook`, of hooks that are given this connection. */
  callHookOn(db: AnyDatabase): CallHook
  /** Tells of an unforeseen error; never throws. */
  report(error: unknown, request: ApiRequest): void
  /** Tells of a 401, 403 or 429; never throws. */
  refused(refusal: Refusal): void
  /** Says what may be meant otherwise, or should be looked at; never throws. */
  warn(message: string): void
  /** The instance of `createApi`. */
  readonly root: AnyDatabase
  /** The replicas that reads are sent to; absent where there are none. */
  readonly replicas: Replicas | undefined
  /** Whether requests can be served, for the health route. */
  readonly readiness: Readiness
  readonly counts: SharedCounts | undefined
  /** Prepared reads, by query and authority. */
  readonly reads: ReadCache
  /** Plans of the records that writes answer, by query and authority. */
  readonly echoes: KeptValues<ReadPlan>
  readonly auth: Auth
  readonly refreshStore: RefreshTokenStore
  readonly limiter: Limiter
  /** The OpenAPI document; written when it is first asked for. */
  document(): OpenAPIObject
}

/** One request being served. */
export interface Call {
  readonly runtime: Runtime
  readonly request: ApiRequest
  /** In upper case. */
  readonly method: string
  /** Path as received, without the query. */
  readonly path: string
  /** Raw query string. */
  readonly query: string
  /** The resource whose records are answered: the target, on a relation route. */
  readonly resource: Resource
  readonly action: Action
  /** The relation of a relation route. */
  readonly relation: ResolvedRelation | null
  /** The callbacks of this resource and method. */
  readonly hooks: HookSettings
  /** What emitted URLs start with: origin, mount prefix and API prefix. */
  readonly base: string
  /** What stands before the request's own path in emitted links: origin and mount prefix. */
  readonly origin: string
  /** Whether nobody between here and the client needs the value as anything but JSON text. */
  readonly asText: boolean
  /** Who is asking; nobody until the request is authenticated. */
  readonly caller: Caller
  /** Whether the caller may list a resource. */
  readonly reach: Reach
  /** The replica that this read is sent to; absent where the primary is read. */
  readonly replica?: Replica
  /** The transaction of a write, with the plugins of its author; absent outside of one. */
  readonly transaction?: AnyDatabase
  /** Who answers, when, and how long it has taken so far. */
  stamp(): Stamp
  /** The stopwatch, where answers tell how long they took. */
  readonly timing: Timing | undefined
}
