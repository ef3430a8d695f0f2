// Replaces the resources of a route by those that the caller may see. After that, a withheld column or relation is an unknown name.

import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Registry } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import { resourceOf } from './route-method.ts'
import { type RoutedCall, unknownPathOf } from './route-request.ts'

/** Evaluates the caller's column rights and sets the registry of the call. Throws 404 for a relation that the caller may not see. */
export function routeForCaller(call: RoutedCall, route: Route): MaybePromise<Route> {
  const { runtime } = call
  return andThen(runtime.callerRegistries.of(call, route.resource), (registry) => {
    if (registry === runtime.registry) return route
    const own = routeIn(registry, route)
    if (own === undefined) throw unknownPathOf(runtime, call.path)
    call.registry = registry
    call.resource = resourceOf(own)
    call.relation = own.kind === 'related' ? own.relation : null
    return own
  })
}

/** Returns the same route in another registry; undefined if that registry lacks the relation. */
function routeIn({ byName }: Registry, route: Route): Route | undefined {
  const resource = byName.get(route.resource.name)
  if (resource === undefined) return undefined
  if (route.kind !== 'related') return { ...route, resource }
  const relation = resource.relations.get(route.relation.name)
  return relation && { ...route, resource, relation }
}
