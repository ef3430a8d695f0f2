// Relation tokens: which relations of a resource a client's name fits (specification: Joins 2 and 3), and which one a path segment names.

import { normalizeToken } from '../naming/plural.ts'
import type { ResolvedRelation, Resource } from './resource.ts'

/** The names of a resource's relations, normalised once. */
interface RelationNames {
  readonly byToken: ReadonlyMap<string, readonly ResolvedRelation[]>
  readonly bySegment: ReadonlyMap<string, ResolvedRelation | null>
}

const namesOf = new WeakMap<Resource, RelationNames>()

function relationNames(resource: Resource): RelationNames {
  const known = namesOf.get(resource)
  if (known !== undefined) return known
  const byToken = new Map<string, ResolvedRelation[]>()
  const bySegment = new Map<string, ResolvedRelation | null>()
  for (const relation of resource.relations.values()) {
    const tokens = [relation.target.endpoint, relation.segment, relation.name].map(normalizeToken)
    for (const token of new Set(tokens)) {
      const fitting = byToken.get(token)
      if (fitting === undefined) byToken.set(token, [relation])
      else fitting.push(relation)
    }
    const endpoint = relation.target.endpoint
    bySegment.set(endpoint, bySegment.has(endpoint) ? null : relation)
  }
  for (const relation of resource.relations.values()) bySegment.set(relation.segment, relation)
  const names = { byToken, bySegment }
  namesOf.set(resource, names)
  return names
}

/**
 * The relations that a token fits, in model order: the exact relation key alone, else every relation whose plural
 * endpoint name, key in endpoint case or raw key equals the token after normalisation. Several: the token is ambiguous.
 *
 * ```ts
 * relationsMatching(books, 'Authors') // [author]
 * ```
 */
export function relationsMatching(resource: Resource, token: string): readonly ResolvedRelation[] {
  const exact = resource.relations.get(token)
  if (exact !== undefined) return [exact]
  return relationNames(resource).byToken.get(normalizeToken(token)) ?? []
}

/**
 * The relation a path segment names: the relation key in endpoint case, else the target's plural endpoint name where it
 * fits one relation only.
 *
 * ```ts
 * relationBySegment(books, 'best-seller')
 * ```
 */
export function relationBySegment(
  resource: Resource,
  segment: string,
): ResolvedRelation | undefined {
  return relationNames(resource).bySegment.get(segment) ?? undefined
}
