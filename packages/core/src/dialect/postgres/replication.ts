// How far a server of PostgreSQL has come: by positions in its write-ahead log.

import { sql } from '../../sql/fragment.ts'
import type { Replication } from '../shared/replication.ts'

const position = /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i

export const postgresReplication: Replication = {
  // The place of the next record, behind the one of a COMMIT whether or not that is on the disk yet.
  position: sql`case when pg_is_in_recovery() then null else pg_current_wal_insert_lsn()::text end`,
  needs: 'a server that is no replica itself',
  isPosition: (text) => position.test(text),
  // A server that is no replica (any more) has what was written there.
  reached: (text) =>
    sql`case when not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= ${text}::text::pg_lsn then 1 else 0 end`,
}
