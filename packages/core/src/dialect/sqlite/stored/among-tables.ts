// Restricts a statement that reads the schema of SQLite to the tables of given names.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'

/**
 * Returns `and column in (…)`, ignoring case, or nothing if `names` is undefined, so that every table is read. All names are one
 * parameter, because Cloudflare's D1 accepts at most 100 parameters.
 *
 * ```ts
 * sql`where m.type = 'table'${amongTables(sql`m.name`, ['books', 'authors'])}`
 * ```
 */
export const amongTables = (column: Fragment, names: readonly string[] | undefined): Fragment =>
  names === undefined
    ? sql``
    : sql` and ${column} collate nocase in (select value from json_each(${JSON.stringify(names)}))`
