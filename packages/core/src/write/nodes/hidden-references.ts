// Finds the foreign keys of a body, such as `author_id`, whose records the write must look up, or check in its one statement: those that
// may be hidden from the caller, and those that the same write may create, with a key that clients could only guess (`generatedPart`).

import { tableKey } from '../../lib/sql/table-name.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Values } from './node.ts'

/** Whether a policy hides records of a resource from the caller. */
type Narrows = (target: Resource) => boolean

/**
 * Whether the target of a relation may hide records: by soft delete, or by a policy (`narrows`). The records of other targets are all
 * visible, so the foreign key constraint is enough.
 */
const isNarrowed = ({ kind, target }: ResolvedRelation, narrows: Narrows): boolean =>
  kind === 'belongsTo' && (target.settings.softDelete !== null || narrows(target))

/** The column of a foreign key that names records by a key which the database generates; undefined for other relations. */
export function generatedPart({
  kind,
  from,
  to,
  target,
}: ResolvedRelation): NamedColumn | undefined {
  const [key] = target.primaryKey
  if (kind !== 'belongsTo' || target.primaryKey.length !== 1) return undefined
  return key?.definition.generated === true ? from[to.indexOf(key)] : undefined
}

/** Tells whether the target of a relation has the table of the resource. */
export const ofOwnTable =
  (resource: Resource) =>
  ({ kind, target }: ResolvedRelation): boolean =>
    kind === 'belongsTo' && tableKey(target) === tableKey(resource)

/** The to-one relations whose target may hide records. */
export const narrowedRelations = (
  resource: Resource,
  narrows: Narrows,
): readonly ResolvedRelation[] =>
  [...resource.allRelations.values()].filter((relation) => isNarrowed(relation, narrows))

/**
 * The relations of which the values contain the foreign key, and whose record one statement must check: it may be hidden, or, with
 * `isNew`, be the new record itself. A key with a null part refers to nothing. Undefined if the values contain only a part of a key.
 */
export function checkedReferences(
  resource: Resource,
  values: Values,
  narrows: Narrows,
  isNew: boolean,
): readonly ResolvedRelation[] | undefined {
  const found: ResolvedRelation[] = []
  const isOwn = ofOwnTable(resource)
  for (const relation of resource.allRelations.values()) {
    const mayNameItself = isNew && isOwn(relation) && generatedPart(relation) !== undefined
    if (!(mayNameItself || isNarrowed(relation, narrows)) || !isSet(relation, values)) continue
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
