// Call: a request on its way through the stages; Runtime: what createApi built for all requests. Types only; the folder `call`
// has types for parts of both.

import type { CallerRegistries } from '../../access/column-rights.ts'
import type { ClientInHook, HookCall } from '../../access/hooks/hook-call.ts'
import type { HostFunctions } from '../../access/hooks/host-functions.ts'
import type { Policies } from '../../access/policies/policy.ts'
import type { MissingRolesHint } from '../../access/roles/missing-roles-hint.ts'
import type { RoutedRequest } from '../../access/routed-request.ts'
import type { SignIn } from '../../auth/sign-in.ts'
import type { Connections } from '../../database/connections.ts'
import type { Replica } from '../../database/replicas/replica.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Registry } from '../../model/registry/resource.ts'
import type { SqlValues } from '../../model/settings/access/sql-value-types.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import type { AuthorityCache } from '../../query/cache/authority-bound.ts'
import type { ReadCache } from '../../query/cache/read-cache.ts'
import type { Reach } from '../../query/plan/context.ts'
import type { ReadPlan } from '../../query/plan/plan.ts'
import type { UnpublishedHint } from '../endpoints/routing/unpublished-hint.ts'
import type { Stamp } from '../envelope.ts'
import type { RouteTable } from '../route-table.ts'
import type { Documentation } from './documents.ts'
import type { OpenBatch } from './open-batch.ts'

/** What `createApi` builds once for all requests, in parts; functions take the parts that they use. */
export interface Runtime {
  /** The `config` of createApi, checked and typed. */
  readonly settings: ApiSettings
  /** All resources, without regard to the rights of a caller. */
  readonly registry: Registry
  readonly clock: Clock
  readonly routing: Routing
  /** Calls functions of the host, and reports to it. */
  readonly host: HostFunctions
  /** The connections of requests, the dialect and the replicas. */
  readonly database: Connections
  readonly access: AccessRules
  /** Finds the sender of a request, and counts requests. */
  readonly signIn: SignIn
  readonly caches: PlanCaches
  /** The OpenAPI document and its page, built on first use. */
  readonly documentation: Documentation
  /** The batch that the requests are operations of; absent outside of a batch. */
  readonly batch?: OpenBatch
}

/** The paths that are served. */
interface Routing {
  readonly table: RouteTable
  /** Warns the host if the path would be the endpoint of a model without meta. */
  readonly hintUnpublished: UnpublishedHint
}

/** Which resources, columns and rows a caller may use. */
export interface AccessRules extends ClientInHook {
  /** Finds the part of the registry that a caller may see. */
  readonly callerRegistries: CallerRegistries
  /** The access policy of each resource that has one. */
  readonly policies: Policies
  /** The conversions between records and rows that hooks receive. */
  readonly sqlValues: SqlValues
  /** Whether a caller without credentials may list a resource. */
  readonly anonymousReach: Reach
  /** Warns the host of the first user without a member `roles`, if rules require roles. */
  readonly hintMissingRoles: MissingRolesHint
}

/** Plans of earlier requests. */
interface PlanCaches {
  /** Cached reads, by query and authority. */
  readonly reads: ReadCache
  /** Cached plans of the records that writes return, by query and authority. */
  readonly echoes: AuthorityCache<ReadPlan>
}

/**
 * A request being served. Stages never change it; those that learn more return another value. *Routed*, it has an anonymous caller;
 * *admitted*, it has the caller that authentication found, and the resources that this caller may see.
 */
export interface Call extends RoutedRequest, HookCall {
  readonly runtime: Runtime
  /** Whether the method is QUERY: the body is the rest of the query, and is read once the caller is authorised. */
  readonly isQuery: boolean
  /** Whether the value may be serialised directly to JSON text: no hook and no caller needs it as an object. */
  readonly asText: boolean
  /** Whether the value may be serialised to JSON text after the return callback has received it as an object. */
  readonly endsAsText: boolean
  /** Whether the response is an HTML page. HTML pages have no ETag. */
  readonly asPage: boolean
  /** `reach(resource)`: whether the caller may list a resource, and so join it or filter by it. */
  readonly reach: Reach
  /** The registry as the caller sees it, without columns that the caller may not read. All resources of this call come from it. */
  readonly registry: Registry
  /** The replica that this read uses; absent if it uses the primary. */
  readonly replica?: Replica
  /** Returns version, request id and time for the envelope. */
  stamp(): Stamp
}

/** The latest value of a request's call, which its stages note for what needs it outside of them, such as the response to a failure. */
export interface LatestCall {
  /** Undefined before the request has a route. */
  call: Call | undefined
}
