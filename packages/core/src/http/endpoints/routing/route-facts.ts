// RouteFacts: the methods that a route allows, and for each of them the role checks, strategies and rate limits. They are the same for every
// request, so they are computed once.

import { type ActionCheck, checksOf } from '../../../access/authorize.ts'
import type { ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import type { MethodName } from '../../../model/settings/config.ts'
import { type Admission, admissionOf } from './admit.ts'
import { allowedMethods, resourceOf } from './route-method.ts'

/** The facts of one kind of route of a resource or relation; they do not depend on the key in the path. */
export interface RouteFacts {
  /** The value of the `Allow` header. */
  readonly allowed: readonly string[]
  /** By allowed method. OPTIONS is missing because it has no checks, QUERY because it is handled as GET. */
  readonly methods: ReadonlyMap<string, MethodFacts>
}

/** What a method of a route requires. */
export interface MethodFacts {
  /** The actions that the caller's roles must allow. */
  readonly checks: readonly ActionCheck[]
  /** The rate limits, and the strategies that authenticate its caller. */
  readonly admission: Admission
}

type FactsCache = WeakMap<Resource | ResolvedRelation, RouteFacts>

const cache: Readonly<Record<Route['kind'], FactsCache>> = {
  collection: new WeakMap(),
  item: new WeakMap(),
  restore: new WeakMap(),
  related: new WeakMap(),
}

/** Returns the facts of a route; cached, because the settings of a resource never change. */
export function factsOf(route: Route): RouteFacts {
  const owner = route.kind === 'related' ? route.relation : route.resource
  const known = cache[route.kind].get(owner)
  if (known !== undefined) return known
  const facts = newFacts(route)
  cache[route.kind].set(owner, facts)
  return facts
}

function newFacts(route: Route): RouteFacts {
  const allowed = allowedMethods(route)
  const answered = allowed.filter((method) => method !== 'OPTIONS' && method !== 'QUERY')
  return { allowed, methods: new Map(answered.map((method) => [method, factsFor(route, method)])) }
}

function factsFor(route: Route, given: string): MethodFacts {
  const checks = checksOf(route, given)
  // HEAD shares the rate limit of GET.
  const method = given === 'HEAD' ? 'GET' : given
  const relation = route.kind === 'related' ? `.${route.relation.name}` : ''
  const windows = resourceOf(route).settings.rates[method as MethodName] ?? []
  const limitKey = `${route.resource.name}${relation}:${method}`
  return { checks, admission: admissionOf(checks, limitKey, windows) }
}
