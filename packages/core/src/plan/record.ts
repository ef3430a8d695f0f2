// The record of a row as hooks see it: every column, hidden ones too, read under keys that no client can ask for.

import { refOf } from './names.ts'
import type { Output, RowPlan } from './plan.ts'

// Field names have no blanks, so these keys never meet a column, a label or a client's text.
const prefix = 'record '

/** The key of a column's value among the loaded values. */
export const recordKey = (column: string): string => `${prefix}${column}`

/** Adds the record of its base to what a plan reads. */
export function withRecord(rows: RowPlan): RowPlan {
  const record: Output[] = [...rows.from.resource.allColumns.values()].map((column) => ({
    key: recordKey(column.name),
    value: refOf(rows.from, column),
    visible: false,
  }))
  return { ...rows, output: [...rows.output, ...record] }
}
