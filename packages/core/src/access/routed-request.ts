// RoutedRequest: a request with the resource and action of its route, as hooks, policies and endpoints receive it. Types only.

import type { ResolvedRelation, Resource } from '../model/registry/resource.ts'
import type { ApiRequest } from '../model/request.ts'
import type { HookSettings } from '../model/settings/access/resolve-hooks.ts'
import type { Action } from './action.ts'

/** A request whose path and method belong to an endpoint of a resource. */
export interface RoutedRequest {
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
  /** Whether it reads or writes several records. */
  readonly many: boolean
  /** The relation of a relation route; null on any other route. */
  readonly relation: ResolvedRelation | null
  /** The callbacks that the settings name for this resource and method. */
  readonly hooks: HookSettings
  /** The beginning of URLs in responses: origin, mount prefix and API prefix, `https://shop.example/v1/api`. */
  readonly base: string
  /** The beginning of page links, before the request's path: origin and mount prefix, `https://shop.example/v1`. */
  readonly origin: string
}
