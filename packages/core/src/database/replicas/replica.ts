// Replica: a read replica, and whether it has replayed a given position of the primary, which a client has received for its write.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { Lease } from '../leases/lease.ts'
import type { SharedCounts } from '../shared-counts.ts'
import { type RequestClient, requestBounds } from '../statements/bounds.ts'

/**
 * Milliseconds after which a replica that has not reached a position is asked again. It is asked twice at most, because a client may
 * send a position that no server will ever reach.
 */
const pause = 50
/** Milliseconds within which a replica must answer. */
const timeout = 1_000
/** The number of reached positions to remember. */
const maxReached = 1_000

/** An available replica. */
export interface Replica {
  /** The instance without plugins. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Counts shared by the requests that read from this replica. */
  readonly counts: SharedCounts
  /** Whether it has replayed this position, or has done so after one pause; at most two statements. */
  reaches(position: string, client: RequestClient): Promise<boolean>
}

export type ReplicaParts = Pick<Replica, 'db' | 'dialect' | 'counts'>

/** Creates a replica that a check has found available. */
export function createReplica({ db, dialect, counts }: ReplicaParts): Replica {
  const replication = dialect.server?.replication
  const reached = new Set<string>()

  const hasReached = async (position: string, client: RequestClient): Promise<boolean> => {
    if (replication === undefined) return false
    const lease = new Lease({ db, dialect, bounds: requestBounds(timeout, client) })
    const answer = replication.reached(position)
    const [row] = await lease.rows(sql`select ${answer} as ${sql.id('answer')}`)
    return Number(row?.answer) === 1
  }

  return {
    db,
    dialect,
    counts,
    async reaches(position, client) {
      if (reached.has(position)) return true
      if (!(await hasReached(position, client))) {
        await new Promise((resolve) => setTimeout(resolve, pause))
        if (!(await hasReached(position, client))) return false
      }
      if (reached.size >= maxReached) reached.clear()
      reached.add(position)
      return true
    },
  }
}
