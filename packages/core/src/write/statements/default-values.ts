// compileDefaults: a SELECT of the defaults of columns, such as `uuid()`, for several new records; their keys are then known before the
// INSERT.

import { isText } from '../../dialect/shared/sql/sql-parts.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { Target } from '../../query/compile/target.ts'

/**
 * `select gen_random_uuid()::text as "default_0" from generate_series(1, 500)`. Undefined if the dialect has no such statement, or does not
 * know the SQL of a default, or if a column is no text.
 */
export function compileDefaults(
  { dialect }: Target,
  columns: readonly NamedColumn[],
  rows: number,
): Fragment | undefined {
  const series = dialect.shortcuts?.multiRowInserts?.series?.(rows)
  if (series === undefined || columns.length === 0) return undefined
  const chosen = []
  for (const [i, column] of columns.entries()) {
    const made = isText(column) ? dialect.defaultOf?.(column) : undefined
    if (made === undefined) return undefined
    chosen.push(sql`${made}`.as(defaultName(i)))
  }
  return sql`select ${sql.join(chosen)} from ${series}`
}

/** The name of a column of the statement. */
export const defaultName = (i: number): string => `default_${i}`
