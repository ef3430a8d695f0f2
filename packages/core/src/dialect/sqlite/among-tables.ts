// Restricts a statement that reads the schema of SQLite to the tables of given names.

import { type Fragment, sql } from '../../sql/fragment.ts'

/**
 * `and column in (…)`, whatever the letter case; nothing without names, so that every table is read. The names are one value:
 * Cloudflare's D1 takes a hundred of them.
 *
 * ```ts
 * sql`where m.type = 'table'${amongTables(sql`m.name`, ['books', 'authors'])}`
 * ```
 */
export const amongTables = (column: Fragment, names: readonly string[] | undefined): Fragment =>
  names === undefined
    ? sql``
    : sql` and ${column} collate nocase in (select value from json_each(${JSON.stringify(names)}))`
