// Reads columns of the base row, hidden ones too, under separate keys such as `record title`, without showing them: for `can_read` of
// policies, ETags and the keys of written records, which must not depend on `fields`.

import type { NamedColumn } from '../../model/registry/resource.ts'
import { refOf } from './names.ts'
import type { Output, RowPlan } from './plan.ts'

// Column names and labels have no spaces, so no column or label has such a key.
const prefix = 'record '

/** Returns the key of a column's value among the values of a loaded row. */
export const recordKey = (column: string): string => `${prefix}${column}`

/** Whether rows show all visible columns of their resource: `fields` leaves none out. */
export function showsAllColumns({ shape, from, output }: RowPlan): boolean {
  const shown = output.filter(
    ({ value, visible }) => visible && value.kind === 'column' && value.source === from,
  )
  return shape === 'records' && shown.length === from.resource.columns.size
}

/** Adds columns of the base, or all of them, to what a plan reads, without showing them. */
export function withRecord(
  rows: RowPlan,
  columns: Iterable<NamedColumn> = rows.from.resource.allColumns.values(),
): RowPlan {
  const known = new Set(rows.output.map(({ key }) => key))
  const record: Output[] = []
  for (const column of columns) {
    const key = recordKey(column.name)
    if (!known.has(key)) record.push({ key, value: refOf(rows.from, column), visible: false })
  }
  return { ...rows, output: [...rows.output, ...record] }
}
