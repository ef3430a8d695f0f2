// overflowingColumns: finds the values that are too long or too large for their columns, after the database has refused a write.

import { execute } from '../../database/statements/run.ts'
import { type ColumnLimit, columnLimits, fits } from '../../dialect/shared/sql/column-limits.ts'
import { compileStatement } from '../../lib/sql/statement.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { Probe, Refusal } from './refusal.ts'

/** The columns whose values exceed the lengths and digits in `information_schema`; rejects if the database has no such tables. */
export async function overflowingColumns(
  { connection }: Probe,
  { resource, values }: Refusal,
): Promise<readonly NamedColumn[]> {
  const statement = columnLimits(resource)
  const compiled = compileStatement(
    connection.db,
    statement,
    connection.dialect.shortcuts?.textStyle,
  )
  const { rows } = await execute(connection, compiled)
  const limits = new Map((rows as ColumnLimit[]).map((limit) => [limit.column_name, limit]))
  return [...resource.allColumns.values()].filter((column) => {
    const limit = limits.get(column.dbName)
    return limit !== undefined && !fits(limit, values[column.name])
  })
}
