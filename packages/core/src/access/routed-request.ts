// RoutedRequest: a request with the resource and action of its route. Types only.

import type { ResolvedRelation, Resource } from '../model/registry/resource.ts'
import type { ApiRequest } from '../model/request.ts'
import type { HookSettings } from '../model/settings/access/resolve-hooks.ts'
import type { Action } from './action.ts'

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
  /** The relation of a relation route. */
  readonly relation: ResolvedRelation | null
  /** The callbacks of this resource and method. */
  readonly hooks: HookSettings
  /** The beginning of URLs in responses: origin, mount prefix and API prefix. */
  readonly base: string
  /** The beginning of page links, before the request's path: origin and mount prefix. */
  readonly origin: string
}
