// postgresReplication: PostgreSQL's replication position is a location in the write-ahead log, such as `16/B374D848`.

import { sql } from '../../lib/sql/fragment.ts'
import type { Replication } from '../shared/session/replication.ts'

const position = /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i

export const postgresReplication: Replication = {
  // The insert location is past the last COMMIT record, whether or not that has been flushed.
  position: sql`case when pg_is_in_recovery() then null else pg_current_wal_insert_lsn()::text end`,
  needs: 'a server that is no replica itself',
  isPosition: (text) => position.test(text),
  // A server that is not a replica, or was promoted, has everything that was written to it.
  reached: (text) =>
    sql`case when not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= ${text}::text::pg_lsn then 1 else 0 end`,
}
