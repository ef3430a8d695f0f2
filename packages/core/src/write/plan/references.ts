// Finds the foreign keys of a body that may refer to records hidden from the caller, so that the write must look these records up.

import type { ResolvedRelation, Resource } from '../../registry/resource.ts'
import type { Values } from './node.ts'

type Narrows = (target: Resource) => boolean

/**
 * Whether the target of a relation may hide records: by soft delete, or by a policy (`narrows`). The records of other targets are all
 * visible, so the foreign key constraint is enough.
 */
const isNarrowed = ({ kind, target }: ResolvedRelation, narrows: Narrows): boolean =>
  kind === 'belongsTo' && (target.settings.softDelete !== null || narrows(target))

/** The to-one relations whose target may hide records. */
export const narrowedRelations = (
  resource: Resource,
  narrows: Narrows,
): readonly ResolvedRelation[] =>
  [...resource.allRelations.values()].filter((relation) => isNarrowed(relation, narrows))

/**
 * The relations of which the values contain the foreign key, and whose target hides records. A key with a null part refers to
 * nothing. Undefined if the values contain only a part of a key.
 */
export function narrowedReferences(
  resource: Resource,
  values: Values,
  narrows: Narrows,
): readonly ResolvedRelation[] | undefined {
  const found: ResolvedRelation[] = []
  for (const relation of narrowedRelations(resource, narrows)) {
    if (!isSet(relation, values)) continue
    const parts = relation.from.map(({ name }) => values[name])
    if (parts.includes(null)) continue
    if (parts.includes(undefined)) return undefined
    found.push(relation)
  }
  return found
}

/** Whether the values contain a part of the relation's foreign key. */
export function isSet({ from }: ResolvedRelation, values: Values): boolean {
  for (const { name } of from) if (values[name] !== undefined) return true
  return false
}
