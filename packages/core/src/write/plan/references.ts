// Finds the foreign keys of a body whose targets may be hidden from the caller, so that the write must look them up.

import type { ResolvedRelation, Resource } from '../../registry/resource.ts'
import type { Values } from './node.ts'

type Narrows = (target: Resource) => boolean

/**
 * Whether the target of a relation hides records: by soft delete, or by a policy (`narrows`). For other targets the foreign key
 * constraint is enough, because every record is visible.
 */
const isNarrowed = ({ kind, target }: ResolvedRelation, narrows: Narrows): boolean =>
  kind === 'belongsTo' && (target.settings.softDelete !== null || narrows(target))

/** The to-one relations whose target hides records. */
export const narrowedRelations = (
  resource: Resource,
  narrows: Narrows,
): readonly ResolvedRelation[] =>
  [...resource.allRelations.values()].filter((relation) => isNarrowed(relation, narrows))

/** Whether the values contain a part of a foreign key whose target hides records. */
export function setsNarrowedReference(
  resource: Resource,
  values: Values,
  narrows: Narrows,
): boolean {
  for (const relation of resource.allRelations.values()) {
    if (isNarrowed(relation, narrows) && isSet(relation, values)) return true
  }
  return false
}

/** Whether the values contain a part of the relation's foreign key. */
export function isSet({ from }: ResolvedRelation, values: Values): boolean {
  for (const { name } of from) if (values[name] !== undefined) return true
  return false
}
