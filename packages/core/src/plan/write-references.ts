// Which foreign keys of a body lead to records that somebody may not see, so that they have to be looked for.

import type { ResolvedRelation, Resource } from '../registry/resource.ts'
import type { Values } from './write-node.ts'

/**
 * The to-one relations of these values whose target is narrowed: by soft delete, or by what `narrows` says of policies.
 * Of all others every record is in sight, and the database itself knows whether there is one.
 */
export const narrowedReferences = (
  resource: Resource,
  values: Values,
  narrows: (target: Resource) => boolean,
): readonly ResolvedRelation[] =>
  [...resource.relations.values()].filter(
    ({ kind, from, target }) =>
      kind === 'belongsTo' &&
      from.some(({ name }) => values[name] !== undefined) &&
      (target.settings.softDelete !== null || narrows(target)),
  )
