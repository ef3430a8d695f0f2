// PlanContext: what the functions that plan a query share: the parsed query, the resource of the path, the aliases in use, and which
// resources the caller may list. Also the functions that quote the query in errors (`textAt`) and that make sources.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { QueryAst, Span } from '../parse/ast.ts'
import type { Aliases } from './aliases.ts'
import type { RelatedRef, Source } from './plan.ts'
import { withJunction } from './relations/sources.ts'

/** Whether the caller may list a resource. If not, joins and relation filters to it are refused, and its embeds stay URLs. */
export type Reach = (resource: Resource) => boolean

/** What all planning functions of one query get. */
export interface PlanContext {
  /** The resource whose rows are read; in the plan of an embedded relation, its target. */
  readonly resource: Resource
  readonly ast: QueryAst
  /** Gives each source of the statement an alias of its own. */
  readonly aliases: Aliases
  readonly reach: Reach
  /** Whether soft-deleted rows are read: `include_deleted=true`. */
  readonly includeDeleted: boolean
  /** Whether the query has so few joins and relation filters that the database can plan them as one join. */
  readonly fewRelations: boolean
  /** Whether a model declares what is planned: the settings that switch off or limit the query language do not apply to it. */
  readonly fromModel?: true
  /** The aggregates of related rows that are already planned, by the source that they start from and their text. */
  readonly relatedAggregates: Map<Source, Map<string, RelatedRef>>
}

/** Returns the part of the raw query that a node was parsed from, for `at` of an error. */
export const textAt = (context: PlanContext, span: Span): string =>
  context.ast.raw.slice(span.start, span.end)

/** Creates a source under an unused alias, if possible `wanted`: the base, or the related rows of a relation. */
export function createSource(
  context: PlanContext,
  resource: Resource,
  relation: ResolvedRelation | null,
  wanted: string,
  { many }: { readonly many: boolean },
): Source {
  const { includeDeleted } = context
  return withJunction({ resource, alias: context.aliases(wanted), relation, many, includeDeleted })
}

/** Creates the source of a relation's related rows. */
export const relatedSource = (context: PlanContext, relation: ResolvedRelation): Source =>
  createSource(context, relation.target, relation, relation.name, {
    many: relation.cardinality === 'many',
  })
