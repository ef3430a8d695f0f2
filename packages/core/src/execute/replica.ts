// Replica: a read replica, and whether it has replayed a given position of the primary.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sql } from '../sql/fragment.ts'
import type { Client } from './bounds.ts'
import { type Connection, run } from './run.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Milliseconds that a read waits for the replica to reach its position. */
const maxWait = 1_000
/** Milliseconds between two checks: the pause doubles from `firstPause` to `maxPause`. */
const [firstPause, maxPause] = [2, 50]
/** The number of reached positions to remember. */
const maxReached = 1_000

/** An available replica. */
export interface Replica {
  /** The instance without plugins. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Counts shared by the requests that read from this replica. */
  readonly counts: SharedCounts
  /** Whether it has replayed this position, or does so within a second. */
  reaches(position: string, client: Client): Promise<boolean>
}

export interface ReplicaParts extends Pick<Replica, 'db' | 'dialect' | 'counts'> {
  /** Milliseconds from any fixed point, monotonic. */
  readonly elapsed: () => number
}

export function createReplica({ db, dialect, counts, elapsed }: ReplicaParts): Replica {
  const replication = dialect.server?.replication
  const reached = new Set<string>()

  const hasReached = async (position: string, client: Client): Promise<boolean> => {
    if (replication === undefined) return false
    const connection: Connection = { db, dialect, statementTimeout: maxWait, client }
    const answer = replication.reached(position)
    const [row] = await run(connection, sql`select ${answer} as ${sql.id('answer')}`)
    return Number(row?.answer) === 1
  }

  return {
    db,
    dialect,
    counts,
    async reaches(position, client) {
      if (reached.has(position)) return true
      const end = elapsed() + maxWait
      let pause = firstPause
      while (!(await hasReached(position, client))) {
        if (elapsed() + pause > end) return false
        await new Promise((resolve) => setTimeout(resolve, pause))
        pause = Math.min(pause * 2, maxPause)
      }
      if (reached.size >= maxReached) reached.clear()
      reached.add(position)
      return true
    },
  }
}
