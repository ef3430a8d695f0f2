// Junction: the published model of a many-to-many's table, whose records are the links, with its columns that hold both keys.

import type { NamedColumn, ResolvedRelation, Resource } from './resource.ts'

export interface Junction {
  readonly resource: Resource
  /** Its columns that hold the key of the relation's source, in the order of that key. */
  readonly own: readonly NamedColumn[]
  /** Its columns that hold the key of the target, in the order of that key. */
  readonly partner: readonly NamedColumn[]
}

/** The junction of a relation; undefined where its table has no published model. */
export function junctionOf({ through }: ResolvedRelation): Junction | undefined {
  const resource = through?.resource
  if (through === undefined || resource === undefined) return undefined
  return {
    resource,
    own: through.from.map((name) => storedAs(resource, name)),
    partner: through.to.map((name) => storedAs(resource, name)),
  }
}

/** The column with this name in the database; the registry has checked that there is one. */
function storedAs(resource: Resource, dbName: string): NamedColumn {
  const column = findStored(resource, dbName)
  if (column === undefined) throw new Error(`${resource.name} has no column for "${dbName}".`)
  return column
}

/** The stored column with this name in the database, if the model declares it. */
export function findStored(
  { allColumns }: Pick<Resource, 'allColumns'>,
  dbName: string,
): NamedColumn | undefined {
  for (const column of allColumns.values()) {
    if (column.computed === undefined && column.dbName === dbName) return column
  }
  return undefined
}
