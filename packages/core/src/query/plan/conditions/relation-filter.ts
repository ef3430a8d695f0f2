// Plans `exists(books.tags.name__eq=new)` and `missing(books)`: conditions on related rows that need no join. Each relation of the path
// becomes an `exists` condition inside that of the relation before (docs/reference/query-language.md).

import { forbiddenJoin, limitExceeded, unknownPathSegment } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { isField, type RelationFilterNode, type TextNode } from '../../parse/ast.ts'
import type { PlanWhere } from '../aggregates/related-aggregate.ts'
import { type PlanContext, relatedSource, textAt } from '../context.ts'
import type { Names } from '../names.ts'
import type { Condition } from '../plan.ts'
import { fieldWithPathBefore, jsonColumnAt, relationAt } from '../relations/relation-path.ts'
import { lookUpStep } from './look-up.ts'

/** Plans a relation filter. All conditions must hold for the same row at the end of the path; `missing` negates the result. */
export function planRelationFilter(
  context: PlanContext,
  names: Names,
  node: RelationFilterNode,
  planWhere: PlanWhere,
): Condition {
  const at = textAt(context, node.span)
  const { path, where } = relationsAndFilters(context, names.base.resource, node)
  const depth = context.resource.settings.limits.depth
  if (path.length > depth) {
    throw limitExceeded(
      settingNames.maxDepth,
      depth,
      `The path follows ${path.length} relations`,
      at,
    )
  }
  const [first, ...rest] = path
  if (first === undefined) throw unknownPathSegment('', '', at)
  const condition = planStep(
    context,
    names,
    first,
    rest,
    (inner) => planWhere(context, inner, where),
    at,
  )
  // With many relations, the database must not plan all tables as one join.
  const lookUp =
    condition.lookUp === 'each' && !context.fewRelations ? 'unmerged' : condition.lookUp
  // NOT of the result must not be NULL. It may be compiled as IN, which is NULL for a NULL key.
  return { ...condition, lookUp, negated: node.kind === 'missing', exact: true }
}

/**
 * Separates the relations of the path from the filters on the rows at its end: `exists(books.details.size.width__gt=3)`, where
 * `details` is a json column, has the relation `books` and the filter `details.size.width__gt=3`.
 */
function relationsAndFilters(
  { ast }: PlanContext,
  base: Resource,
  { path, where }: RelationFilterNode,
): Pick<RelationFilterNode, 'path' | 'where'> {
  const [filter, ...others] = where
  const last = path.at(-1)
  // If a comma separates the path and the first filter, as in `exists(books,in_stock__eq=true)`, the filter's field does not
  // continue the path.
  if (filter === undefined || last === undefined) return { path, where }
  if (ast.raw.slice(last.span.end, filter.span.start).includes(',')) return { path, where }
  const end = jsonColumnAt(base, path)
  if (end !== undefined && isField(filter.field)) {
    const field = fieldWithPathBefore(path.slice(end), filter.field)
    return { path: path.slice(0, end), where: [{ ...filter, field }, ...others] }
  }
  return { path, where }
}

/** Plans the `exists` of one relation of the path, with that of the `rest` inside; `whereOf` plans the conditions at its end. */
function planStep(
  context: PlanContext,
  { base: from, lookUpStart }: Names,
  segment: TextNode,
  rest: readonly TextNode[],
  whereOf: (names: Names) => readonly Condition[],
  at: string,
): Extract<Condition, { kind: 'exists' }> {
  const relation = relationAt(from, segment, at)
  if (!context.reach(relation.target)) throw forbiddenJoin(segment.text)
  const source = relatedSource(context, relation)
  const { lookUp, next: nextStart } = lookUpStep(relation, lookUpStart)
  const names = { base: source, joins: [], takesJoins: false, lookUpStart: nextStart }
  const [next, ...further] = rest
  const where =
    next === undefined ? whereOf(names) : [planStep(context, names, next, further, whereOf, at)]
  return { kind: 'exists', from, relation, source, where, negated: false, lookUp }
}
