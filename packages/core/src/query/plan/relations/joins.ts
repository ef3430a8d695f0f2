// The join pass: plans each relation named in `join` once, after the join that it starts from (docs/reference/query-language.md). `isToMany`
// tells later passes which joins repeat base rows.

import { forbiddenJoin, invalidJoinModel, invalidJoinType, limitExceeded } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { relationsMatching } from '../../../model/registry/relations/relation-token.ts'
import type { ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { JoinNode } from '../../parse/ast.ts'
import { type PlanContext, relatedSource } from '../context.ts'
import type { PlannedJoin, Source } from '../plan.ts'

/** The values of `join_type`. */
export const joinTypes: ReadonlyMap<string, PlannedJoin['type']> = new Map([
  ['inner', 'inner'],
  ['left', 'left'],
  ['outer', 'left'],
  ['right', 'right'],
])

/**
 * Plans `join` and `join_type`; both are ignored where joins are disabled (API_ALLOW_JOIN).
 *
 * `join=author.publisher` implies `author`; repetitions, in any spelling, give one join.
 */
export function planJoins(context: PlanContext, base: Source): readonly PlannedJoin[] {
  const { ast, resource } = context
  if (!resource.settings.allowJoin) return []
  const type = joinType(ast.single.join_type?.text)
  const joins: PlannedJoin[] = []
  const { limits } = resource.settings
  if (ast.joins.length > limits.list) {
    throw limitExceeded(settingNames.maxList, limits.list, '"join" has too many items', 'join')
  }
  for (const node of ast.joins) {
    addPath(context, base, node, type, joins)
    if (joins.length > limits.joins) {
      throw limitExceeded(settingNames.maxJoins, limits.joins, 'The query joins too many relations')
    }
  }
  return joins
}

/** The type that `join_type` names; `inner` if the query has no `join_type`. */
function joinType(text: string | undefined): PlannedJoin['type'] {
  const type = joinTypes.get(text ?? 'inner')
  if (type === undefined)
    throw invalidJoinType(text ?? '', didYouMean(text ?? '', joinTypes.keys()))
  return type
}

/** Adds the joins of one item, `author.publisher`, to `joins`. */
function addPath(
  context: PlanContext,
  base: Source,
  node: JoinNode,
  type: PlannedJoin['type'],
  joins: PlannedJoin[],
): void {
  const depth = context.resource.settings.limits.depth
  if (node.path.length > depth) {
    throw limitExceeded(
      settingNames.maxDepth,
      depth,
      `"${excerpt(node.text)}" follows ${node.path.length} relations`,
      node.text,
    )
  }
  let from = base
  for (const token of node.path) {
    const relation = relationOf(from.resource, token, node)
    const known = joins.find((join) => join.from === from && join.relation === relation)
    if (known === undefined) {
      if (!context.reach(relation.target)) throw forbiddenJoin(node.text)
      const source = relatedSource(context, relation)
      joins.push({ from, relation, source, type })
      from = source
    } else {
      from = known.source
    }
  }
}

/** Finds the relation that a token names. An exact relation name takes precedence; a token that fits several relations is refused. */
function relationOf(resource: Resource, token: string, node: JoinNode): ResolvedRelation {
  const relations = relationsMatching(resource, token)
  const [relation] = relations
  if (relation === undefined) {
    throw invalidJoinModel(node.text, didYouMean(token, resource.relations.keys()))
  }
  if (relations.length > 1) {
    throw invalidJoinModel(
      node.text,
      ` It fits ${relations.map((r) => `"${r.name}"`).join(' and ')}.`,
    )
  }
  return relation
}

/** Whether joining a source can repeat base rows, because a relation on its path is to-many. */
export function isToMany(joins: readonly PlannedJoin[], source: Source): boolean {
  const join = joins.find((candidate) => candidate.source === source)
  if (join === undefined) return false
  return join.relation.cardinality === 'many' || isToMany(joins, join.from)
}
