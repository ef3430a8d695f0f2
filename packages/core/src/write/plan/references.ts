// Finds the foreign keys of a body whose targets may be hidden from the caller, so that the write must look them up.

import type { ResolvedRelation, Resource } from '../../registry/resource.ts'
import type { Values } from './node.ts'

/**
 * The to-one relations of these values whose target hides records: by soft delete, or by a policy (`narrows`). For other
 * targets the foreign key constraint is enough, because every record is visible.
 */
export const narrowedReferences = (
  resource: Resource,
  values: Values,
  narrows: (target: Resource) => boolean,
): readonly ResolvedRelation[] =>
  narrowedRelations(resource, narrows).filter((relation) => isSet(relation, values))

/** `narrowedReferences` of all values that a record may have. */
export const narrowedRelations = (
  resource: Resource,
  narrows: (target: Resource) => boolean,
): readonly ResolvedRelation[] =>
  [...resource.allRelations.values()].filter(
    ({ kind, target }) =>
      kind === 'belongsTo' && (target.settings.softDelete !== null || narrows(target)),
  )

/** Whether the values contain a part of the relation's foreign key. */
export const isSet = ({ from }: ResolvedRelation, values: Values): boolean =>
  from.some(({ name }) => values[name] !== undefined)
