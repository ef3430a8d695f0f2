// Which fields clients can write, and which a new record requires (docs/guide/writing.md): for the checks at start-up, for reading bodies
// (`write/body`), and for the OpenAPI document.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { CodedProblem } from '../../../lib/problems/problem-codes.ts'
import { type ReadOnlyReason, unaddressableKey } from '../../../problems.ts'
import { junctionOf } from '../relations/junction.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../resource.ts'

/** The kind of write: `create` for POST, `update` for PATCH, `replace` for PUT. */
export type WriteMode = 'create' | 'update' | 'replace'

/** Whether clients can send values of the column, but not read them. */
export const isWriteOnly = ({ definition }: NamedColumn): boolean => definition.writeOnly === true

/** Whether a body can contain the column. `unwritable` says whether the client may write it. */
export const isInBodies = (column: NamedColumn): boolean => !column.hidden || isWriteOnly(column)

/** Returns why clients cannot write a column; undefined if they can. */
export function unwritable(
  resource: Resource,
  column: NamedColumn,
  mode: WriteMode,
): ReadOnlyReason | undefined {
  const { generated, immutable, managed, readOnly, primaryKey } = column.definition
  if (column.computed !== undefined || readOnly === true) return 'read_only'
  if (column.withheld !== undefined) return 'read_only'
  if (generated === true || generated === 'uuid') return 'generated'
  if (managed !== undefined) return 'managed'
  // With `readOnly: false` clients may write the soft delete attribute themselves.
  if (isSoftDeleteAttribute(resource, column) && readOnly !== false) {
    return 'soft_delete'
  }
  if (mode === 'create') return undefined
  if (primaryKey === true) return 'key'
  if (immutable === true) return 'new_only'
  return undefined
}

/**
 * Returns why clients cannot set a foreign key by a relation; undefined if they can. Clients do not
 * know a hidden key, so a relation can set it only if the model declares `readOnly: false` for it.
 */
export const unwritableKey = (
  resource: Resource,
  column: NamedColumn,
  mode: WriteMode,
): ReadOnlyReason | undefined =>
  column.hidden && column.definition.readOnly !== false
    ? 'read_only'
    : unwritable(resource, column, mode)

/**
 * Returns why a nested object or null cannot set a relation; undefined if it can. A belongsTo follows the
 * rules of its foreign key. In new children and links, the service itself sets the foreign key, so only a caller without the right to
 * write that column is refused.
 */
export function unwritableRelation(
  relation: ResolvedRelation,
  mode: WriteMode,
): ReadOnlyReason | undefined {
  if (relation.kind === 'belongsTo') {
    for (const column of relation.from) {
      const why = unwritableKey(relation.source, column, mode)
      if (why !== undefined) return why
    }
    return undefined
  }
  if (relation.givesRoles === true) return 'read_only'
  const junction = junctionOf(relation)
  const stored = junction === undefined ? relation.to : [...junction.own, ...junction.linked]
  if (junction === undefined && relation.through !== undefined) return undefined
  return stored.some(({ withheld }) => withheld !== undefined) ? 'read_only' : undefined
}

/**
 * Returns why `on_conflict` cannot find records by a value of this column; undefined if it can. The
 * client must be allowed to write the column in a new record, or the column must be generated: a value for a generated column can
 * only name an existing record.
 */
export function unmatchable(resource: Resource, column: NamedColumn): ReadOnlyReason | undefined {
  const { generated } = column.definition
  const namesOnly = (generated ?? false) !== false && column.withheld === undefined
  return namesOnly ? undefined : unwritable(resource, column, 'create')
}

/** Whether the service knows the value of the column in a new record for which the client sends none. */
export const hasInitialValue = (resource: Resource, column: NamedColumn): boolean =>
  column.definition.managed !== undefined ||
  column.definition.default !== undefined ||
  isSoftDeleteAttribute(resource, column)

/** A unique key that `on_conflict` can name. */
export interface ConflictKey {
  readonly columns: readonly NamedColumn[]
  /** Its visible columns, by which clients name it. */
  readonly names: readonly string[]
}

/**
 * Returns the unique keys that `on_conflict` can name: the client may send the value of each column, or the service knows it. Clients
 * do not name hidden columns, so a key that has some needs other visible columns than every other key.
 */
export function conflictKeys(resource: Resource): readonly ConflictKey[] {
  // A column that the caller may not read is an unknown name, and so are its keys.
  const keys = resource.uniqueKeys
    .filter((columns) => columns.every(({ withheld }) => withheld !== 'read'))
    .map((columns) => ({ columns, names: visibleNames(columns) }))
  const isNamed = ({ columns, names }: ConflictKey): boolean =>
    names.length === columns.length ||
    (names.length > 0 &&
      keys.every((other) => other.columns === columns || !hasNames(other, names)))
  return keys.filter(
    (key) => isNamed(key) && key.columns.every((column) => isMatched(resource, column)),
  )
}

/** Whether the service has a value of the column by which it can look for a stored record. */
const isMatched = (resource: Resource, column: NamedColumn): boolean =>
  column.hidden
    ? hasInitialValue(resource, column) && !isFirstNull(resource, column)
    : hasInitialValue(resource, column) || unmatchable(resource, column) === undefined

/** Whether the column is NULL in each new record. NULL equals no stored value, so a look-up by it would find nothing. */
const isFirstNull = (resource: Resource, column: NamedColumn): boolean =>
  isSoftDeleteAttribute(resource, column)
    ? resource.settings.softDelete?.active === null
    : column.definition.default === null

/** Returns the names of the columns that clients can see. */
export const visibleNames = (columns: readonly NamedColumn[]): readonly string[] =>
  columns.flatMap(({ hidden, name }) => (hidden ? [] : name))

/** Whether clients name the key by these columns, in any order. */
export const hasNames = (
  { names }: Pick<ConflictKey, 'names'>,
  wanted: readonly string[],
): boolean => names.length === wanted.length && names.every((name) => wanted.includes(name))

/** Whether the column marks the deleted records of its model. */
export const isSoftDeleteAttribute = ({ settings }: Resource, column: NamedColumn): boolean =>
  settings.softDelete?.attribute === column.name

/**
 * Whether the body must contain this column. Hidden columns are never required: an add callback or the database fills them. A write-only
 * column is required only in a new record, because a client that sends a record back with PUT has not read it.
 */
export function isRequired(resource: Resource, column: NamedColumn, mode: WriteMode): boolean {
  const { hasDefault, default: declaredDefault } = column.definition
  if (mode === 'update' || unwritable(resource, column, mode) !== undefined) return false
  if (!isInBodies(column) || (mode === 'replace' && isWriteOnly(column))) return false
  if (declaredDefault !== undefined || isSoftDeleteAttribute(resource, column)) return false
  // PUT cannot reset a column to a default that only the database knows, so it requires the value.
  if (hasDefault === true) return mode === 'replace' && !column.nullable
  return !column.nullable
}

/**
 * Strings that cannot be part of a record's key: an empty path segment is no key, and HTTP clients remove `.` and `..` from
 * a path before sending it, even percent-encoded (RFC 3986 §5.2.4).
 */
export const unaddressableKeys: readonly JsonValue[] = ['', '.', '..']

/** The problem with a value that cannot be part of the key; undefined if it can, or the column is not in the key. */
export const unaddressable = (
  { definition }: NamedColumn,
  value: JsonValue | undefined,
): CodedProblem | undefined =>
  definition.primaryKey === true && value !== undefined && unaddressableKeys.includes(value)
    ? unaddressableKey
    : undefined

/** Whether a validator checks the values of a column. */
export const isValidated = ({ definition: { validator, format } }: NamedColumn): boolean =>
  validator !== undefined || format === 'uri'
