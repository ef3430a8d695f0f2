// Which resources a read asks for besides that of its path, found by planning it for a caller who may list each of them.

import { ApiError } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { Route } from '../../../model/route.ts'
import type { QueryAst } from '../../../query/parse/ast.ts'
import type { Reach } from '../../../query/plan/context.ts'
import type { EmbedPlan } from '../../../query/plan/plan.ts'
import { planList, planOne, planRelated } from '../../../query/plan/read-plan.ts'

export interface AskedResource {
  readonly resource: Resource
  /** Whether its records are embedded, so that `can_read` decides about each. */
  readonly isEmbedded: boolean
  /** The error of the request if the caller may not list the resource; undefined if its relations are URLs then. */
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

function refusalWithout(route: Route, ast: QueryAst, resource: Resource): ApiError | undefined {
  try {
    embedsOf(route, ast, (other) => other !== resource)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

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
