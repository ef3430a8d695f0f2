// narrowedToCaller: the last step of authorising. A caller from whom columns are withheld (`read`, `write` of columns) gets the same call
// with resources that lack them, so that a withheld column or relation is an unknown name in all later stages.

import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Registry } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import type { Call } from '../../call/call.ts'
import { resourceOf } from './route-method.ts'
import { unknownPathOf } from './route-request.ts'

/** A call and its route. */
interface RoutedCall {
  readonly call: Call
  readonly route: Route
}

/**
 * Evaluates the caller's column rights. Returns the call and the route with the resources that the caller sees; undefined if nothing is
 * withheld. Throws 404 for a relation that the caller may not see.
 */
export function narrowedToCaller(call: Call, route: Route): MaybePromise<RoutedCall | undefined> {
  const { runtime } = call
  return andThen(runtime.access.callerRegistries.of(call, route.resource), (registry) => {
    if (registry === runtime.registry) return undefined
    const own = routeIn(registry, route)
    if (own === undefined) throw unknownPathOf(runtime, call.path)
    const relation = own.kind === 'related' ? own.relation : null
    return { call: { ...call, registry, resource: resourceOf(own), relation }, route: own }
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
