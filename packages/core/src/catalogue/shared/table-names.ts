// Restricts a statement that reads the catalogue to the tables of given names.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'

/**
 * Returns `and column in (…)`, or nothing if `names` is undefined, so that every table is read.
 *
 * ```ts
 * sql`where table_schema = ${schema}${among(sql.id('table_name'), ['books', 'authors'])}`
 * ```
 */
export const among = (column: Fragment, names: readonly string[] | undefined): Fragment =>
  names === undefined ? sql`` : sql` and ${column} in (${sql.join(names)})`
