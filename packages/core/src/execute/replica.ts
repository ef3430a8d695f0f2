// A replica: a server that has what the primary has written, some time later.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sql } from '../sql/fragment.ts'
import type { Client } from './bounds.ts'
import { type Connection, run } from './run.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Milliseconds that a read waits for the position it carries. */
const patience = 1_000
/** Milliseconds between two questions at first, and at most. */
const [shortest, longest] = [2, 50]
/** Most positions that are known to be reached. */
const most = 1_000

/** A replica that answers. */
export interface Replica {
  /** The instance without plugins. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Counts that are shared among those who read here. */
  readonly counts: SharedCounts | undefined
  /** Whether it has come to a position, or does so within a second. */
  reaches(position: string, client: Client): Promise<boolean>
}

export interface ReplicaParts extends Pick<Replica, 'db' | 'dialect' | 'counts'> {
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
}

export function createReplica({ db, dialect, counts, elapsed }: ReplicaParts): Replica {
  const replication = dialect.server?.replication
  const reached = new Set<string>()

  const hasReached = async (position: string, client: Client): Promise<boolean> => {
    if (replication === undefined) return false
    const connection: Connection = { db, dialect, statementTimeout: patience, client }
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
      const end = elapsed() + patience
      let pause = shortest
      while (!(await hasReached(position, client))) {
        if (elapsed() + pause > end) return false
        await new Promise((resolve) => setTimeout(resolve, pause))
        pause = Math.min(pause * 2, longest)
      }
      if (reached.size >= most) reached.clear()
      reached.add(position)
      return true
    },
  }
}
