// Junction rows between a published and an unpublished model. No client sees the relation, but a DELETE of the published record deletes the rows,
// so that the registry keeps where they are (`Resource.unpublishedLinks`).

import { tableKey } from '../../../lib/sql/table-name.ts'
import type { AnyModel } from '../../define-model.ts'
import { keyNames } from '../../relation.ts'
import { foreignKey } from '../relations/junction.ts'
import type { DeclaredTable } from '../relations/resolve-relations.ts'
import type { Resource, UnpublishedLinks } from '../resource.ts'

/** The models and tables that many-to-many relations refer to. */
interface LinkScope {
  /** The declared tables, by their `tableKey`. */
  readonly tables: ReadonlyMap<string, DeclaredTable>
  /** The published models. */
  readonly byName: ReadonlyMap<string, Resource>
  /** The schema of models that declare none. */
  readonly schema: string | undefined
}

/** Returns for each published model its links to unpublished models, by the many-to-many relations that either side declares. */
export function unpublishedLinks(
  models: Iterable<AnyModel>,
  { tables, byName, schema }: LinkScope,
): ReadonlyMap<string, readonly UnpublishedLinks[]> {
  const found = new Map<string, UnpublishedLinks[]>()
  for (const model of models) {
    for (const relation of Object.values(model.relations)) {
      if (relation.kind !== 'manyToMany') continue
      if (byName.has(model.name) === byName.has(relation.target)) continue
      const [name, columns] = byName.has(model.name)
        ? [model.name, relation.from]
        : [relation.target, relation.to]
      const owner = byName.get(name)
      if (owner === undefined) continue
      const through = {
        schema: relation.schema ?? model.schema ?? schema,
        table: relation.through,
      }
      // A published junction model is treated like any other child.
      if (tables.get(tableKey(through))?.resource !== undefined) continue
      const links = { ...through, key: foreignKey(keyNames(columns), owner) }
      found.set(name, [...(found.get(name) ?? []), links])
    }
  }
  return found
}
