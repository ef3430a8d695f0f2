// jsonPathText: paths into json columns as the function JSON_EXTRACT of MySQL, MariaDB and SQLite takes them.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'

/** The literal of a path: `['address', 'city']` → `'$."address"."city"'` */
export const jsonPathText = (keys: readonly string[]): Fragment =>
  sql.quoted(['$', ...keys.map((key) => `"${key}"`)].join('.'))
