// mariadbEngine: the SQL that MariaDB needs and MySQL does not have.

import { sql } from '../../lib/sql/fragment.ts'
import type { Engine } from './engine.ts'
import { mariadbReplication } from './replication.ts'

export const mariadbEngine: Engine = {
  codePointCollation: sql`utf8mb4_nopad_bin`,
  insideGroup: (grouped) => grouped,
  // Without a length, the text is truncated to 22 characters in a sorted or grouped select.
  doubleText: (value) => sql`cast(${value} as char(60))`,
  textOfRead(text, ms) {
    const settings: string[] = []
    if (ms !== undefined) settings.push(`max_statement_time = ${ms / 1000}`)
    // By default texts are sorted by their first 1024 bytes.
    if (text.includes(' order by ')) settings.push('max_sort_length = 65536')
    return settings.length === 0 ? text : `set statement ${settings.join(', ')} for ${text}`
  },
  geometryText: (value) => sql`st_astext(${value})`,
  vectorText: (value) => sql`vec_totext(${value})`,
  replication: mariadbReplication,
}
