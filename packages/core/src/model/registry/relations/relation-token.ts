// Relation tokens: finds the relations that a name in `join` or a path segment refers to.

import { normalizeToken } from '../../../lib/naming/plural.ts'
import type { ResolvedRelation, Resource } from '../resource.ts'

/** The names of a resource's relations, normalised once. */
interface RelationNames {
  /** By the relation key, in any spelling. */
  readonly byKey: ReadonlyMap<string, readonly ResolvedRelation[]>
  /** By the relation key and the target's endpoint, in singular and plural. */
  readonly byToken: ReadonlyMap<string, readonly ResolvedRelation[]>
  /** By path segment; null for the endpoint of a target that several relations have. */
  readonly bySegment: ReadonlyMap<string, ResolvedRelation | null>
  /** The normalised names of the resource itself. */
  readonly own: ReadonlySet<string>
}

const namesOf = new WeakMap<Resource, RelationNames>()

/** Returns the names of the relations of a resource, which are made on first use. */
function relationNames(resource: Resource): RelationNames {
  const known = namesOf.get(resource)
  if (known !== undefined) return known
  const byKey = new Map<string, ResolvedRelation[]>()
  const byToken = new Map<string, ResolvedRelation[]>()
  const bySegment = new Map<string, ResolvedRelation | null>()
  for (const relation of resource.relations.values()) {
    const keys = [relation.segment, relation.name]
    add(byKey, keys.map(normalizeKey), relation)
    add(byToken, [relation.target.endpoint, ...keys].map(normalizeToken), relation)
    const endpoint = relation.target.endpoint
    bySegment.set(endpoint, bySegment.has(endpoint) ? null : relation)
  }
  for (const relation of resource.relations.values()) bySegment.set(relation.segment, relation)
  const { table, endpoint, name } = resource
  const own = new Set([table, endpoint, name].map(normalizeToken))
  const names = { byKey, byToken, bySegment, own }
  namesOf.set(resource, names)
  return names
}

function add(
  map: Map<string, ResolvedRelation[]>,
  names: readonly string[],
  relation: ResolvedRelation,
): void {
  for (const name of new Set(names)) {
    const fitting = map.get(name)
    if (fitting === undefined) map.set(name, [relation])
    else fitting.push(relation)
  }
}

/** Normalises a relation key: like `normalizeToken`, but singular and plural differ. */
const normalizeKey = (text: string): string => text.trim().toLowerCase().replaceAll('-', '_')

/**
 * Returns the relations that a token matches, in model order: the relation with this key (exactly, or apart from case, hyphens and
 * surrounding spaces); otherwise every relation whose plural endpoint name or key equals the token after normalisation.
 * Several matches make the token ambiguous.
 *
 * ```ts
 * relationsMatching(books, 'Authors') // [author]
 * ```
 */
export function relationsMatching(resource: Resource, token: string): readonly ResolvedRelation[] {
  const exact = resource.relations.get(token)
  if (exact !== undefined) return [exact]
  const { byKey, byToken } = relationNames(resource)
  const spelt = byKey.get(normalizeKey(token))
  return spelt?.length === 1 ? spelt : (byToken.get(normalizeToken(token)) ?? [])
}

/**
 * Whether a token names the resource itself: its table, its endpoint or its model, in any spelling that `relationsMatching`
 * accepts.
 *
 * ```ts
 * isNameOf(books, 'Book') // true
 * ```
 */
export const isNameOf = (resource: Resource, token: string): boolean =>
  relationNames(resource).own.has(normalizeToken(token))

/**
 * Returns the relation of a path segment: its key in endpoint case, or the target's plural endpoint name if only one relation
 * has that target.
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
