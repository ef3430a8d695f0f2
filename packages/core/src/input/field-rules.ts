// Which fields a client writes, and which a new record needs (contract §8).

import type { NamedColumn, Resource } from '../registry/resource.ts'

/** create: POST; update: PATCH; replace: PUT. */
export type WriteMode = 'create' | 'update' | 'replace'

/** Why a client does not write the column, as the end of a sentence; undefined: it does. */
export function unwritable(
  resource: Resource,
  column: NamedColumn,
  mode: WriteMode,
): string | undefined {
  const { generated, managed, readOnly, primaryKey } = column.definition
  if (column.computed !== undefined || readOnly === true) return 'is read-only'
  if (generated === true || generated === 'uuid') return 'is generated'
  if (managed !== undefined) return 'is set by the service'
  // `readOnly: false` is how a model says that clients may write the attribute of soft delete.
  if (isSoftDeleteAttribute(resource, column) && readOnly !== false) {
    return 'is set by DELETE and restore'
  }
  if (primaryKey === true && mode !== 'create') return 'is part of the key, which does not change'
  return undefined
}

export const isSoftDeleteAttribute = ({ settings }: Resource, column: NamedColumn): boolean =>
  settings.softDelete?.attribute === column.name

/** Whether a new record must be given this column; hidden ones are the business of add_callback and the database. */
export function isRequired(resource: Resource, column: NamedColumn, mode: WriteMode): boolean {
  const { hasDefault, default: own } = column.definition
  if (mode === 'update' || column.hidden || unwritable(resource, column, mode) !== undefined) {
    return false
  }
  if (own !== undefined || isSoftDeleteAttribute(resource, column)) return false
  // A default that only the database knows cannot be written back by a replacement.
  if (hasDefault === true) return mode === 'replace' && !column.nullable
  return !column.nullable
}
