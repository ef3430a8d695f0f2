// askedResources: for `explainAccess`, which resources a read asks for besides that of its path (`?join=author` asks for `authors`), found by
// planning it for a caller who may list each of them.

import { ApiError } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { Reach } from '../../../query/plan/context.ts'
import type { EmbedPlan } from '../../../query/plan/plan.ts'
import { planList, planOne, planRelated } from '../../../query/plan/read-plan.ts'

/** A resource that a query names by its relations, and what happens if the caller may not list it. */
export interface AskedResource {
  readonly resource: Resource
  /** Whether its records are embedded, so that `can_read` decides about each. */
  readonly isEmbedded: boolean
  /** The error of the request if the caller may not list the resource; undefined if the response then has URLs in place of its records. */
  readonly refusal: ApiError | undefined
}

/** Returns the resources that a read joins, filters by, counts or embeds. Throws the ApiError of a query that is refused for every caller. */
export function askedResources(route: Route, ast: QueryAst): readonly AskedResource[] {
  const asked = new Set<Resource>()
  const all = embedsOf(route, ast, (resource) => {
    asked.add(resource)
    return true
  })
  const embedded = new Set(targetsOf(all))
  return [...asked].map((resource) => ({
    resource,
    isEmbedded: embedded.has(resource),
    refusal: refusalWithout(route, ast, resource),
  }))
}

/** Returns the error of the read for a caller who may list every resource but this one; undefined if it is served. */
function refusalWithout(route: Route, ast: QueryAst, resource: Resource): ApiError | undefined {
  try {
    embedsOf(route, ast, (other) => other !== resource)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Plans the read for a caller who may list the resources of `reach`, and returns its embeds. Throws the error of a refused read. */
function embedsOf(route: Route, ast: QueryAst, reach: Reach): readonly EmbedPlan[] {
  switch (route.kind) {
    case 'collection':
      return planList(route.resource, ast, reach).embeds
    case 'item':
      return planOne(route.resource, ast, [], reach).embeds
    case 'related':
      return planRelated(route.relation, ast, reach).embeds
    case 'restore':
      return []
  }
}

const targetsOf = (embeds: readonly EmbedPlan[]): readonly Resource[] =>
  embeds.flatMap(({ relation, embeds: below }) => [relation.target, ...targetsOf(below)])
