// Which fields a client writes, and which a new record needs (contract §8).

import type { JsonValue } from '../json/json-value.ts'
import type { NamedColumn, Resource } from './resource.ts'

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

/**
 * Texts that cannot be part of a record's key: an empty path segment names nothing, and HTTP clients resolve `.` and
 * `..` away before they send a path, also when they are percent-encoded (RFC 3986 §5.2.4).
 */
export const unaddressableKeys: readonly JsonValue[] = ['', '.', '..']

/** Why a value cannot be part of a key; undefined: it can, or the column is not part of it. */
export const unaddressable = (
  { definition }: NamedColumn,
  value: JsonValue | undefined,
): string | undefined =>
  definition.primaryKey === true && value !== undefined && unaddressableKeys.includes(value)
    ? 'A key cannot be empty, "." or "..": no path could carry it.'
    : undefined
