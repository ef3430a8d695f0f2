// mysqlEngine: the SQL that MySQL, since 8.0.17, needs and MariaDB does not have.

import { sql } from '../../lib/sql/fragment.ts'
import type { Engine } from './engine.ts'
import { mysqlReplication } from './mysql-replication.ts'

/**
 * Under a code point collation, MySQL sorts texts by their whole length, and it sorts rows with their JSON; if a few texts or one row
 * exceed the sort buffer (by default 256 KB), the statement fails. Under other collations, MySQL by default sorts by the first 1024 bytes. The server allocates only as much of
 * the larger buffer as it needs.
 */
const sortsLongTexts = 'set_var(max_sort_length = 65536) set_var(sort_buffer_size = 8388608)'

export const mysqlEngine: Engine = {
  codePointCollation: sql`utf8mb4_0900_bin`,
  insideGroup: (grouped) => sql`any_value(${grouped})`,
  // MySQL rounds the text of a computed double to 22 characters, but not its JSON.
  doubleText: (value) => sql`cast(cast(${value} as json) as char(60))`,
  textOfRead(text, ms) {
    const hints: string[] = []
    if (ms !== undefined) hints.push(`max_execution_time(${ms})`)
    if (text.includes(' order by ')) hints.push(sortsLongTexts)
    return hints.length === 0 ? text : text.replace(/^select /, `select /*+ ${hints.join(' ')} */ `)
  },
  geometryText: (value) => sql`st_astext(${value}, 'axis-order=long-lat')`,
  vectorText: (value) => sql`vector_to_string(${value})`,
  replication: mysqlReplication,
}
