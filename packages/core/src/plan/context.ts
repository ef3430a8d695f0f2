// What every planning pass shares: the query, the base, the aliases given out so far, and what the caller may reach.

import type { QueryAst, Span } from '../parse/ast.ts'
import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import type { Aliases } from './aliases.ts'
import type { Source } from './plan.ts'
import { withJunction } from './sources.ts'

/** Whether the caller may list that resource at all: joins to others are refused, embeds stay URLs. */
export type Reach = (resource: Resource) => boolean

export interface PlanContext {
  readonly resource: Resource
  readonly ast: QueryAst
  readonly aliases: Aliases
  readonly reach: Reach
  readonly includeDeleted: boolean
  /** Whether the query has so few joins and relation filters that the database may plan all of them as one join. */
  readonly fewRelations: boolean
}

/** The client's own text of a node, for `errors.at`. */
export const textAt = (context: PlanContext, span: Span): string =>
  context.ast.raw.slice(span.start, span.end)

/** A new source: the base, or rows that a relation leads to. */
export function openSource(
  context: PlanContext,
  resource: Resource,
  relation: ResolvedRelation | null,
  wanted: string,
  many: boolean,
): Source {
  const { includeDeleted } = context
  return withJunction({ resource, alias: context.aliases(wanted), relation, many, includeDeleted })
}

/** A new source at the end of a relation, under an alias of its own. */
export const relatedSource = (context: PlanContext, relation: ResolvedRelation): Source =>
  openSource(context, relation.target, relation, relation.name, relation.cardinality === 'many')
