// columnsToCompare: which columns of the stored records a list of changes must read before it writes.

import type { ColumnType } from '../../model/column.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import type { RecordNode } from '../plan/node.ts'
import { hasOnlyValues } from './change.ts'
import type { WriteContext } from './context.ts'

/**
 * The columns that checks of the changes compare; undefined for all, which callbacks and policies receive and read-only fields of
 * the body must equal.
 *
 * Besides the key: sent columns whose stored value may have details that JSON does not show, because an equal value is not
 * written; the other columns of unique and composite foreign keys of which a part was sent, because a check or an error message
 * is about the whole key; and the column that marks deleted records.
 */
export function columnsToCompare(
  { access, hooks, changes, target }: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
): readonly NamedColumn[] | undefined {
  const isGiven =
    access.hasHook(resource, 'can_update') || hooks.has(resource, 'update') || changes !== undefined
  // Without this shortcut, triggers may see which columns are set, so equal values are not written.
  const mayWriteEqual = target.dialect.shortcuts?.singleWrites?.('update', resource) !== undefined
  if (isGiven || !mayWriteEqual || !nodes.every(hasOnlyValues)) return undefined
  const { primaryKey, uniqueKeys, allRelations, allColumns, settings } = resource
  const sent = new Set(nodes.flatMap(({ values }) => Object.keys(values)))
  const references = [...allRelations.values()].flatMap(({ kind, from }) =>
    kind === 'belongsTo' && from.length > 1 ? [from] : [],
  )
  const keys = [...uniqueKeys, ...references].filter((columns) =>
    columns.some(({ name }) => sent.has(name)),
  )
  const needed = new Set([...primaryKey, ...keys.flat()])
  return [...allColumns.values()].filter(
    (column) =>
      needed.has(column) ||
      column.name === settings.softDelete?.attribute ||
      (sent.has(column.name) && hidesDetails(column)),
  )
}

/** The types of which JSON shows all that is stored. */
const exact: ReadonlySet<ColumnType> = new Set([
  'integer',
  'bigint',
  'string',
  'text',
  'enum',
  'date',
])

const hidesDetails = ({ type, otherForms }: NamedColumn): boolean =>
  otherForms === true || !exact.has(type)
