// Replicas: reads take turns among those that answer; one that is away is left out until it is back.

import type { InternalDialect } from '../dialect/internal-dialect.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { sql } from '../sql/fragment.ts'
import { createReplica, type Replica } from './replica.ts'
import { run } from './run.ts'
import type { SharedCounts } from './shared-counts.ts'

/** Milliseconds that a replica has to answer whether it is there. */
const patience = 1_000
/** Milliseconds between two looks at one that is away. */
const pause = 1_000

export interface Replicas {
  /** The next one that answers; undefined where none does, so that the primary is read. Never waits. */
  next(): Replica | undefined
  /** Leaves one out until it answers again. */
  leaveOut(replica: Replica, cause: unknown): void
  /** Settles when each was looked at; never rejects. */
  lookedAt(): Promise<void>
}

export interface ReplicasParts {
  readonly dbs: readonly AnyDatabase[]
  /** What must be known of a server, looked up once. */
  readonly connect: (db: AnyDatabase) => () => MaybePromise<InternalDialect>
  readonly newCounts: () => SharedCounts | undefined
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
  /** Told once of each outage, by whom and why. */
  readonly away: (index: number, cause: unknown) => void
}

interface Member {
  readonly index: number
  readonly db: AnyDatabase
  readonly connect: () => MaybePromise<InternalDialect>
  replica?: Replica
  isAway: boolean
  /** Whether somebody was told that it is away. */
  isTold: boolean
  nextLook: number
  looking?: Promise<void> | undefined
}

export function createReplicas({
  dbs,
  connect,
  newCounts,
  elapsed,
  away,
}: ReplicasParts): Replicas {
  const members = dbs.map(
    (db, index): Member => ({
      index,
      db: db.withoutPlugins(),
      connect: connect(db),
      isAway: true,
      isTold: false,
      nextLook: Number.NEGATIVE_INFINITY,
    }),
  )
  let turn = 0

  const isLeftOut = (member: Member, cause: unknown): void => {
    member.isAway = true
    member.nextLook = elapsed() + pause
    if (member.isTold) return
    member.isTold = true
    away(member.index, cause)
  }

  const look = async (member: Member): Promise<void> => {
    const { db } = member
    try {
      const dialect = await member.connect()
      await run({ db, dialect, statementTimeout: patience }, sql`select 1 as ${sql.id('answer')}`)
      // Made anew, because what it had reached may be lost after a repair.
      member.replica = createReplica({ db, dialect, counts: newCounts(), elapsed })
      member.isAway = false
      member.isTold = false
    } catch (error) {
      isLeftOut(member, error)
    } finally {
      member.looking = undefined
    }
  }

  const looked = (member: Member): Promise<void> => {
    member.looking ??= look(member)
    return member.looking
  }

  return {
    next() {
      let found: Replica | undefined
      for (let i = 0; i < members.length; i += 1) {
        const member = members[(turn + i) % members.length] as Member
        if (!member.isAway && found === undefined) {
          found = member.replica
          turn = (turn + i + 1) % members.length
        }
        if (member.isAway && member.looking === undefined && elapsed() >= member.nextLook) {
          void looked(member)
        }
      }
      return found
    },
    leaveOut(replica, cause) {
      const member = members.find((one) => one.replica === replica)
      if (member !== undefined) isLeftOut(member, cause)
    },
    async lookedAt() {
      await Promise.all(members.map((member) => (member.isAway ? looked(member) : undefined)))
    },
  }
}
