// What every planning pass shares: the query, the base, the aliases given out so far, and what the caller may reach.

import type { QueryAst, Span } from '../parse/ast.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import type { Aliases } from './aliases.ts'
import type { Source } from './plan.ts'

/** Whether the caller may list that resource at all: joins to others are refused, embeds stay URLs. */
export type Reach = (resource: Resource) => boolean

export interface PlanContext {
  readonly resource: Resource
  readonly ast: QueryAst
  readonly aliases: Aliases
  readonly reach: Reach
  readonly includeDeleted: boolean
}

/** The client's own text of a node, for `errors.at`. */
export const textAt = (context: PlanContext, span: Span): string =>
  context.ast.raw.slice(span.start, span.end)

/** A new source at the end of a relation, under an alias of its own. */
export const relatedSource = (context: PlanContext, relation: ResolvedRelation): Source => ({
  resource: relation.target,
  alias: context.aliases(relation.name),
  relation,
  many: relation.cardinality === 'many',
  includeDeleted: context.includeDeleted,
})
