// The replication position of MariaDB and MySQL: global transaction ids (GTIDs).

import { sql } from '../../sql/fragment.ts'
import type { Replication } from '../shared/replication.ts'

/** Longest position accepted from a client, in characters; a MySQL cluster's position names each of its servers. */
const longestPosition = 1_000

/** `0-1-4711`, one for each replication domain. */
const mariadbPosition = /^\d{1,10}-\d{1,10}-\d{1,20}(?:,\d{1,10}-\d{1,10}-\d{1,20})*$/

export const mariadbReplication: Replication = {
  position: sql`nullif(@@global.gtid_binlog_pos, '')`,
  needs: 'MariaDB with log_bin',
  isPosition: (text) => text.length <= longestPosition && mariadbPosition.test(text),
  // Does not wait, because waiting would occupy the connection.
  reached: (text) => sql`case when master_gtid_wait(${text}, 0) = 0 then 1 else 0 end`,
}

/** `3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7`, one for each server; with tags in MySQL 9. */
const mysqlPosition = /^[0-9a-f-]{36}(?::[0-9a-z_-]+)+(?:,[0-9a-f-]{36}(?::[0-9a-z_-]+)+)*$/i

export const mysqlReplication: Replication = {
  // The server prints each id on its own line.
  position: sql`nullif(replace(replace(@@global.gtid_executed, '\n', ''), ' ', ''), '')`,
  needs: 'MySQL with gtid_mode=ON',
  isPosition: (text) => text.length <= longestPosition && mysqlPosition.test(text),
  reached: (text) => sql`gtid_subset(${text}, @@global.gtid_executed)`,
}
