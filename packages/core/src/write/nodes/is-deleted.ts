// isDeleted: whether a record that was read is marked as deleted (soft delete), for steps that read deleted records, too.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from './node.ts'
import { sameValue } from './same-value.ts'

/**
 * Whether a stored record is marked as deleted, by the same rule as reads (`isNotDeleted` in `query/compile/source.ts`): with a fixed
 * value, such as `status = 'deleted'`, only that one marks it; with a time or a function of the host, every value but the active one does.
 */
export function isDeleted({ settings, allColumns }: Resource, stored: Values): boolean {
  const { softDelete } = settings
  const column = softDelete && allColumns.get(softDelete.attribute)
  if (!softDelete || !column) return false
  const value = stored[softDelete.attribute] ?? null
  const { active, deleted } = softDelete
  return deleted.kind === 'value'
    ? sameValue(column, value, deleted.value)
    : !sameValue(column, value, active)
}
