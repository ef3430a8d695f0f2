// What is special about MySQL, since 8.0.17.

import { sql } from '../../sql/fragment.ts'
import type { Engine } from './engine.ts'
import { mysqlReplication } from './replication.ts'

export const mysqlEngine: Engine = {
  codePointCollation: sql`utf8mb4_0900_bin`,
  insideGroup: (grouped) => sql`any_value(${grouped})`,
  timeLimited(text, ms, sortsText) {
    const sorting = sortsText ? ' set_var(max_sort_length = 65536)' : ''
    return text.replace(/^select /, `select /*+ max_execution_time(${ms})${sorting} */ `)
  },
  replication: mysqlReplication,
}
