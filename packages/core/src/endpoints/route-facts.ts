// What is the same for every request of one method to one route: the methods, the checks, the admission; put together once.

import { type Check, checksOf } from '../access/authorize.ts'
import type { MethodName } from '../config/config.ts'
import type { Route } from '../http/route-table.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import { type Admission, admissionOf } from './admit.ts'
import { allowedMethods, resourceOf } from './route-method.ts'

/** A kind of route of one resource or relation, whatever its key. */
export interface RouteFacts {
  /** What `Allow` lists. */
  readonly allowed: readonly string[]
  /** By allowed method; OPTIONS asks for nothing. */
  readonly methods: ReadonlyMap<string, MethodFacts>
}

export interface MethodFacts {
  readonly checks: readonly Check[]
  readonly admission: Admission
}

type Known = WeakMap<Resource | ResolvedRelation, RouteFacts>

const known: Readonly<Record<Route['kind'], Known>> = {
  collection: new WeakMap(),
  item: new WeakMap(),
  restore: new WeakMap(),
  related: new WeakMap(),
}

/** The facts of a route; its resource's settings never change. */
export function factsOf(route: Route): RouteFacts {
  const owner = route.kind === 'related' ? route.relation : route.resource
  const before = known[route.kind].get(owner)
  if (before !== undefined) return before
  const facts = gather(route)
  known[route.kind].set(owner, facts)
  return facts
}

function gather(route: Route): RouteFacts {
  const allowed = allowedMethods(route)
  const answered = allowed.filter((method) => method !== 'OPTIONS')
  return { allowed, methods: new Map(answered.map((method) => [method, factsFor(route, method)])) }
}

function factsFor(route: Route, asked: string): MethodFacts {
  const checks = checksOf(route, asked)
  const method = asked === 'HEAD' ? 'GET' : asked
  const relation = route.kind === 'related' ? `.${route.relation.name}` : ''
  const windows = resourceOf(route).settings.rates[method as MethodName] ?? []
  const name = `${route.resource.name}${relation}:${method}`
  return { checks, admission: admissionOf(checks, name, windows) }
}
