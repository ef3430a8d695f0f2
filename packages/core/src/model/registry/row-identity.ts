// The columns that distinguish the rows of a resource: its primary key, or without one, the columns that plans append to every order, so that pages
// do not overlap.

import { isSortable } from '../type-rules.ts'
import type { NamedColumn, Resource } from './resource.ts'

/** Whether the resource has no primary key: its rows can be listed, but have no URLs and cannot be written. */
export const isKeyless = ({ primaryKey }: Pick<Resource, 'primaryKey'>): boolean =>
  primaryKey.length === 0

/**
 * Returns the columns that are appended to every order, so that pages do not overlap: the primary key; without one, a unique set that is
 * never NULL; without that, every visible column that can be ordered. Rows with the same values in all of these look the same to
 * a client, except for columns of the types json and binary.
 */
export function tieBreakers({
  primaryKey,
  uniqueKeys,
  columns,
}: Pick<Resource, 'primaryKey' | 'uniqueKeys' | 'columns'>): readonly NamedColumn[] {
  if (primaryKey.length > 0) return primaryKey
  const visible = [...columns.values()].filter(isSortable)
  const unique = uniqueKeys.find((key) =>
    key.every((column) => !column.nullable && visible.includes(column)),
  )
  return unique ?? visible
}

/** Whether an order by these columns of the resource is total: no two rows have the same values in all of them. */
export const isTotal = (
  { uniqueKeys }: Pick<Resource, 'uniqueKeys'>,
  ordered: readonly NamedColumn[],
): boolean =>
  uniqueKeys.some((key) => key.every((column) => !column.nullable && ordered.includes(column)))
