// Checks the option on_delete of relations at start-up, after their columns are resolved.

import { tableKey } from '../../../lib/sql/table-name.ts'
import type { AnyModel } from '../../define-model.ts'
import type { Problems } from '../../settings/setting-problems.ts'
import type { ResolvedRelation, Resource } from '../resource.ts'

/** Reports what an on_delete of the resource's relations asks for and a DELETE cannot do. `models` are all, by name, published or not. */
export function checkOnDelete(
  resource: Resource,
  models: ReadonlyMap<string, AnyModel>,
  problems: Problems,
): void {
  const byKey = new Map<string, ResolvedRelation>()
  for (const [name, declared] of Object.entries(resource.model.relations)) {
    const onDelete = 'on_delete' in declared ? declared.on_delete : undefined
    if (onDelete === undefined) continue
    const relation = resource.allRelations.get(name)
    const target = models.get(declared.target)
    const isActing = onDelete !== 'restrict'
    const wrong =
      isActing && target !== undefined && (target.meta === undefined || target.readOnly)
        ? outOfReach(target)
        : relation && problemOf(relation, byKey)
    if (wrong !== undefined) {
      problems.add(`models.${resource.name}.relations.${name}.on_delete`, wrong)
    }
  }
}

/** Why a DELETE cannot act on the records of this model. */
const outOfReach = ({ name, meta }: AnyModel): string =>
  meta === undefined
    ? `${name} has no meta, so no DELETE reaches its records. Give it a meta, or leave on_delete to the foreign key in the database.`
    : `${name} is read-only. Leave on_delete to the foreign key in the database.`

/** Returns what is wrong with an on_delete. `byKey` has the first relation of each foreign key: two cannot say different things. */
function problemOf(
  relation: ResolvedRelation,
  byKey: Map<string, ResolvedRelation>,
): string | undefined {
  const { target, to, onDelete } = relation
  const required = onDelete === 'null' ? to.find(({ nullable }) => !nullable) : undefined
  if (required !== undefined) {
    return `"${required.name}" of ${target.name} cannot be null. Declare it nullable: true, or on_delete: 'cascade'.`
  }
  const key = JSON.stringify([tableKey(target), to.map(({ dbName }) => dbName).sort()])
  const first = byKey.get(key)
  if (first === undefined) byKey.set(key, relation)
  if (first === undefined || first.onDelete === onDelete) return undefined
  return `"${first.name}" has the same foreign key, and on_delete: '${first.onDelete}'. Declare the same here, or leave it out.`
}
