// Junction: the published model of a many-to-many's junction table, with its two foreign keys. If there is one, links are records of it, which
// follow its policies and hooks. `foreignKey` and `findStored` find the columns of a junction table while relations are resolved.

import type { ForeignKeyColumn, NamedColumn, ResolvedRelation, Resource } from '../resource.ts'

/** A published junction model, as one of its relations uses it. */
export interface Junction {
  readonly resource: Resource
  /** The junction's foreign key to the relation's source, in the order of the source's key. */
  readonly own: readonly NamedColumn[]
  /** The junction's foreign key to the relation's target, in the order of the target's key. */
  readonly linked: readonly NamedColumn[]
}

/** Returns the junction of a relation; undefined if its table has no published model. */
export function junctionOf({ through }: ResolvedRelation): Junction | undefined {
  const resource = through?.resource
  if (through === undefined || resource === undefined) return undefined
  return {
    resource,
    own: through.from.map(({ dbName }) => storedAs(resource, dbName)),
    linked: through.to.map(({ dbName }) => storedAs(resource, dbName)),
  }
}

/** Returns the column with this database name; the registry has checked that it exists. */
function storedAs(resource: Resource, dbName: string): NamedColumn {
  const column = findStored(resource, dbName)
  if (column === undefined) throw new Error(`${resource.name} has no column for "${dbName}".`)
  return column
}

/** Pairs the columns of a junction table with the primary key columns that they reference, in the order of that key; `table` is the model of the junction. */
export const foreignKey = (
  dbNames: readonly string[],
  resource: Resource,
  table?: Resource,
): readonly ForeignKeyColumn[] =>
  resource.primaryKey.flatMap((column, i) => {
    const dbName = dbNames[i]
    if (dbName === undefined) return []
    // The foreign key column as the model of its table declares it; without one, a copy of the key column under its name.
    const held = (table && findStored(table, dbName)) ?? { ...column, dbName }
    return [{ dbName, column, held }]
  })

/** Returns the stored column with this name in the database, if the model declares it. */
export function findStored(
  { allColumns }: Pick<Resource, 'allColumns'>,
  dbName: string,
): NamedColumn | undefined {
  for (const column of allColumns.values()) {
    if (column.computed === undefined && column.dbName === dbName) return column
  }
  return undefined
}
