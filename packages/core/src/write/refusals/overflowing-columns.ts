// overflowingColumns: finds the values that are too long or too large for their columns, after the database has refused a write without
// saying which column it was.

import {
  type ColumnLimit,
  columnLimits,
  fitsLimit,
} from '../../dialect/shared/sql/column-limits.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { RefusalConnection, WriteRefusal } from './refusal.ts'

/** The columns whose values exceed the lengths and digits in `information_schema`; rejects if the database has no such tables. */
export async function overflowingColumns(
  { lease }: RefusalConnection,
  { resource, values }: WriteRefusal,
): Promise<readonly NamedColumn[]> {
  const { rows } = await lease.send<ColumnLimit>(columnLimits(resource))
  const limits = new Map(rows.map((limit) => [limit.column_name, limit]))
  return [...resource.allColumns.values()].filter((column) => {
    const limit = limits.get(column.dbName)
    return limit !== undefined && !fitsLimit(limit, values[column.name])
  })
}
