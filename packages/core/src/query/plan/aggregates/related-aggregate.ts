// Plans `count(books[price__gt=20])` and `max(books.published)`: aggregates of the rows that are related to each row. The `RelatedRef` that
// comes out is an operand like a column, in outputs, conditions and orders.

import {
  featureDisabled,
  forbiddenJoin,
  limitExceeded,
  operatorNotForType,
  unknownPathSegment,
  unsupportedQuery,
} from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { functionFits } from '../../../model/type-rules.ts'
import type { ConditionNode, FieldNode, RelatedAggregateNode, TextNode } from '../../parse/ast.ts'
import { areFewRelations } from '../conditions/few-relations.ts'
import { isShared } from '../conditions/look-up.ts'
import { type PlanContext, relatedSource, textAt } from '../context.ts'
import { type Names, resolveColumn } from '../names.ts'
import type { Condition, RelatedRef, RelatedStep, Source } from '../plan.ts'
import { fieldWithPathBefore, jsonColumnAt, relationAt } from '../relations/relation-path.ts'

/** `planWhere` of `conditions/where.ts`, passed as an argument, because that file imports this one. Plans the conditions in the brackets. */
export type PlanWhere = (
  context: PlanContext,
  names: Names,
  nodes: readonly ConditionNode[],
) => readonly Condition[]

/** Plans an aggregate over rows that are related to a row of `from`; one that occurs again is planned once. */
export function planRelatedAggregate(
  context: PlanContext,
  from: Source,
  node: RelatedAggregateNode,
  planWhere: PlanWhere,
): RelatedRef {
  const known = context.relatedAggregates.get(from) ?? new Map<string, RelatedRef>()
  context.relatedAggregates.set(from, known)
  const text = textAt(context, node.span)
  const planned = known.get(text) ?? planAggregate(context, from, node, planWhere)
  known.set(text, planned)
  return planned
}

/** Plans an aggregate, whether or not it occurs again. */
export function planAggregate(
  context: PlanContext,
  from: Source,
  node: RelatedAggregateNode,
  planWhere: PlanWhere,
): RelatedRef {
  const at = textAt(context, node.span)
  allowAggregates(context, from, at)
  const { relations, column } = pathAndColumn(from, node)
  const path = planPath(context, from, relations, at)
  const end = endOf(path)
  allowAggregates(context, end, at)
  if (path.every(({ relation }) => relation.cardinality === 'one')) throw leadsToOne(node, at)
  const names: Names = {
    base: end,
    joins: [],
    takesJoins: false,
    lookUpStart: { repeated: path.some(({ relation }) => isShared(relation)), nested: true },
  }
  const planned = { kind: 'related', function: node.function, from, path } as const
  const where = whereOf(context, names, node, planWhere)
  if (column === undefined) return { ...planned, where }
  const of = resolveColumn(names, column, at)
  if (!functionFits(node.function, of.column)) {
    throw operatorNotForType(node.function, column.text, of.column.type, '', at)
  }
  return { ...planned, where, of }
}

/** Plans the conditions on the aggregated rows; throws if filters are disabled for them. */
function whereOf(
  context: PlanContext,
  names: Names,
  { where, path }: RelatedAggregateNode,
  planWhere: PlanWhere,
): readonly Condition[] {
  const [first] = where
  if (first === undefined) return []
  if (context.fromModel !== true && !names.base.resource.settings.allowFilters) {
    throw featureDisabled('Filtering', settingNames.allowFilters, textAt(context, first.span))
  }
  // The database plans the subquery of an aggregate apart from the query.
  const inside = { ...context, fewRelations: areFewRelations(path.length, where) }
  return planWhere(inside, names, where)
}

/** Throws if the model of a source disables aggregates; `at` is the part of the query that the error quotes. */
function allowAggregates(context: PlanContext, { resource }: Source, at: string): void {
  if (context.fromModel === true || resource.settings.allowAggregation) return
  const what = resource === context.resource ? '' : ` of "${resource.endpoint}"`
  throw featureDisabled(`Aggregation${what}`, settingNames.allowAggregation, at)
}

/**
 * Separates the relations of the path from the column at its end: `max(books.details.size)`, where `details` is a json column, has the
 * relation `books` and the column `details.size`.
 */
function pathAndColumn(
  from: Source,
  { path, column }: RelatedAggregateNode,
): { readonly relations: readonly TextNode[]; readonly column?: FieldNode } {
  if (column === undefined) return { relations: path }
  const end = jsonColumnAt(from.resource, path)
  return end === undefined
    ? { relations: path, column }
    : { relations: path.slice(0, end), column: fieldWithPathBefore(path.slice(end), column) }
}

/** Follows the relations of a path from `base`; throws if one is unknown, or leads to records that the caller may not list. */
function planPath(
  context: PlanContext,
  base: Source,
  segments: readonly TextNode[],
  at: string,
): readonly RelatedStep[] {
  const { depth } = context.resource.settings.limits
  if (context.fromModel !== true && segments.length > depth) {
    const what = `The path follows ${segments.length} relations`
    throw limitExceeded(settingNames.maxDepth, depth, what, at)
  }
  let from = base
  return segments.map((segment) => {
    if (from !== base && from.resource.columns.has(segment.text)) {
      const hint = ` It is a column: "count" counts rows, and other functions take a column after the relations.`
      throw unknownPathSegment(segment.text, hint, at)
    }
    const relation = relationAt(from, segment, at)
    if (!context.reach(relation.target)) throw forbiddenJoin(segment.text)
    const source = relatedSource(context, relation)
    const step = { from, relation, source }
    from = source
    return step
  })
}

/** The source of the aggregated rows. */
const endOf = (path: readonly RelatedStep[]): Source => (path.at(-1) as RelatedStep).source

/** Makes the 400 of `count(author)`, whose path has no to-many relation. */
function leadsToOne(node: RelatedAggregateNode, at: string): Error {
  const path = node.path.map(({ text }) => text).join('.')
  const remedy =
    node.column === undefined
      ? `"exists(${path})" tests whether there is one.`
      : `Join it and name the column itself: join=${path}&fields=${path}.${node.column.text}`
  return unsupportedQuery(
    `"${excerpt(path)}" leads to one record at most, so there is nothing to aggregate. ${excerpt(remedy)}`,
    at,
  )
}
