// Column limits: the longest text and the largest number that a column accepts, from the SQL standard's catalogue. Read after the database
// has refused a write because of a value, to find the column that the response names.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { TableName } from '../../../lib/sql/table-name.ts'

/** One column in `information_schema.columns`; drivers give 64-bit numbers as strings. */
export interface ColumnLimit {
  readonly column_name: string
  readonly data_type: string
  /** Characters of a text. This and the next two are null for types that have no such limit. */
  readonly longest: number | string | null
  readonly digits: number | string | null
  readonly scale: number | string | null
}

/** The smallest positive whole number that a signed type does not hold. */
const integerLimits: Readonly<Record<string, number>> = {
  tinyint: 2 ** 7,
  smallint: 2 ** 15,
  mediumint: 2 ** 23,
  int: 2 ** 31,
  integer: 2 ** 31,
}

/** Selects a `ColumnLimit` for each column; fails on databases without `information_schema`. */
export function columnLimits({ schema, table }: TableName): Fragment {
  const inSchema = schema === undefined ? sql`` : sql` and table_schema = ${schema}`
  return sql`
    select column_name as ${sql.id('column_name')}, data_type as ${sql.id('data_type')},
      character_maximum_length as ${sql.id('longest')}, numeric_precision as ${sql.id('digits')},
      numeric_scale as ${sql.id('scale')}
    from information_schema.columns where table_name = ${table}${inSchema}`
}

/** Whether a validated value fits into the column. */
export function fitsLimit(limit: ColumnLimit, value: unknown): boolean {
  if (typeof value === 'string' && limit.longest !== null) {
    return [...value].length <= Number(limit.longest)
  }
  const bound = integerLimits[limit.data_type.toLowerCase()]
  if (typeof value === 'number' && bound !== undefined) return value >= -bound && value < bound
  if (typeof value === 'string' && /^(numeric|decimal)$/i.test(limit.data_type)) {
    const whole = Number(limit.digits) - Number(limit.scale)
    return limit.digits === null || (/^-?([0-9]+)/.exec(value)?.[1]?.length ?? 0) <= whole
  }
  return true
}
