// Reads all columns of the base row, hidden ones included, under separate keys: for hooks, ETags and the keys of written records.

import { refOf } from './names.ts'
import type { Output, RowPlan } from './plan.ts'

// Column names and labels have no spaces, so no column or label has such a key.
const prefix = 'record '

/** Returns the key of a column's value among the values of a loaded row. */
export const recordKey = (column: string): string => `${prefix}${column}`

/** Adds all columns of the base to what a plan reads, without showing them. */
export function withRecord(rows: RowPlan): RowPlan {
  const record: Output[] = [...rows.from.resource.allColumns.values()].map((column) => ({
    key: recordKey(column.name),
    value: refOf(rows.from, column),
    visible: false,
  }))
  return { ...rows, output: [...rows.output, ...record] }
}
