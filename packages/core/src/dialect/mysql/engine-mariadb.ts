// mariadbEngine: the SQL that MariaDB needs and MySQL does not have.

import { sql } from '../../lib/sql/fragment.ts'
import type { Engine } from './engine.ts'
import { mariadbReplication } from './mysql-replication.ts'

export const mariadbEngine: Engine = {
  codePointCollation: sql`utf8mb4_nopad_bin`,
  insideGroup: (grouped) => grouped,
  // Without a length, the text is truncated to 22 characters in a sorted or grouped select.
  doubleText: (value) => sql`cast(${value} as char(60))`,
  textOfRead(text, ms) {
    const settings: string[] = []
    if (ms !== undefined) settings.push(`max_statement_time = ${ms / 1000}`)
    // By default texts are sorted by their first 1024 bytes. A sort needs memory for 15 rows with all of their texts, which exceed the
    // sort buffer (by default 2 MB) if there are several, as in a window. The server allocates only as much of the larger buffer as
    // its estimate of the rows needs.
    if (text.includes(' order by ')) {
      settings.push('max_sort_length = 65536', 'sort_buffer_size = 8388608')
    }
    // MariaDB caches results of a subquery by the values that it takes from the row outside, and compares those under the collation of
    // their column: a key "A" would get the count of "a".
    if (text.includes('(select ')) settings.push("optimizer_switch = 'subquery_cache=off'")
    return settings.length === 0 ? text : `set statement ${settings.join(', ')} for ${text}`
  },
  geometryText: (value) => sql`st_astext(${value})`,
  vectorText: (value) => sql`vec_totext(${value})`,
  replication: mariadbReplication,
}
