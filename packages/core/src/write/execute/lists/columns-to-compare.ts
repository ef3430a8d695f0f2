// columnsToCompare: which columns of the stored records a list of changes must read before it writes.

import { isWriteOnly } from '../../../registry/field-rules.ts'
import type { NamedColumn, Resource } from '../../../registry/resource.ts'
import { hidesDetails } from '../../plan/hides-details.ts'
import type { RecordNode } from '../../plan/node.ts'
import { narrowedRelations } from '../../plan/references.ts'
import type { WriteContext } from '../context.ts'
import { hasOnlyValues } from '../requested-changes.ts'
import type { ChangeStep } from './many-step.ts'
import { maySetUnchangedColumns } from './update-rows.ts'

/**
 * Returns the columns to read; undefined if all are needed: for a callback, for a hook of the policy, because fields of the body must
 * equal the stored ones, or because an UPDATE may set only columns that change.
 *
 * The columns are:
 * - the primary key, and the column that marks deleted records;
 * - columns that the body sets and of which `hidesDetails` is true: if the JSON is equal, they are not written;
 * - all columns that the body sets, unless `touches`, because records to which it changes nothing are not written; except write-only
 *   ones, which are always written;
 * - all columns of a unique key, of a composite foreign key, or of one whose target hides records, if the body sets one of them,
 *   because checks and errors are about the whole key.
 */
export function columnsToCompare(
  { access, hooks, changes, target }: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
  { touches }: Pick<ChangeStep, 'touches'>,
): readonly NamedColumn[] | undefined {
  const isGiven =
    access.hasHook(resource, 'can_update') || hooks.has(resource, 'update') || changes !== undefined
  const mayWriteEqual = maySetUnchangedColumns(target.dialect, resource)
  if (isGiven || !mayWriteEqual || !nodes.every(hasOnlyValues)) return undefined
  const { primaryKey, uniqueKeys, allRelations, allColumns, settings } = resource
  const sent = new Set<string>()
  for (let i = 0; i < nodes.length; i++) for (const name in nodes[i]?.values) sent.add(name)
  const composite = [...allRelations.values()].filter(
    ({ kind, from }) => kind === 'belongsTo' && from.length > 1,
  )
  const narrowed = narrowedRelations(resource, (target) => access.narrows(target))
  const references = [...composite, ...narrowed].map(({ from }) => from)
  const keys = [...uniqueKeys, ...references].filter((columns) =>
    columns.some(({ name }) => sent.has(name)),
  )
  const needed = new Set([...primaryKey, ...keys.flat()])
  return [...allColumns.values()].filter(
    (column) =>
      needed.has(column) ||
      column.name === settings.softDelete?.attribute ||
      (sent.has(column.name) && !isWriteOnly(column) && (!touches || hidesDetails(column))),
  )
}
