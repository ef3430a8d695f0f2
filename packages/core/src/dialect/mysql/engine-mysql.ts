// What is special about MySQL, since 8.0.17.

import { sql } from '../../sql/fragment.ts'
import type { Engine } from './engine.ts'
import { mysqlReplication } from './replication.ts'

export const mysqlEngine: Engine = {
  codePointCollation: sql`utf8mb4_0900_bin`,
  insideGroup: (grouped) => sql`any_value(${grouped})`,
  // The text of a computed double is rounded to 22 characters, its JSON is not.
  doubleText: (value) => sql`cast(cast(${value} as json) as char(60))`,
  timeLimited(text, ms, sortsText) {
    const sorting = sortsText ? ' set_var(max_sort_length = 65536)' : ''
    return text.replace(/^select /, `select /*+ max_execution_time(${ms})${sorting} */ `)
  },
  replication: mysqlReplication,
}
