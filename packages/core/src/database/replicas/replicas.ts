// Replicas: distributes reads over the available replicas in turn; an unavailable one is skipped until a check succeeds.
// `http/endpoints/reads/database/read-source.ts` takes the replica of each read here, and reports those that do not answer.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { Lease } from '../leases/lease.ts'
import type { SharedCounts } from '../shared-counts.ts'
import { requestBounds } from '../statements/bounds.ts'
import { createReplica, type Replica } from './replica.ts'

/** Milliseconds within which a replica must respond to a check. */
const timeout = 1_000
/** Milliseconds between two checks of an unavailable replica. */
const checkInterval = 1_000

export interface Replicas {
  /** The next available replica; undefined if there is none. Never waits. */
  next(): Replica | undefined
  /** Skips a replica until a check succeeds. */
  markUnavailable(replica: Replica, cause: unknown): void
  /** Resolves when each unavailable replica has been checked; never rejects. */
  checked(): Promise<void>
}

export interface ReplicasParts {
  readonly dbs: readonly AnyDatabase[]
  /** Detects the dialect of a server, once. */
  readonly connect: (db: AnyDatabase) => () => MaybePromise<InternalDialect>
  /** Makes what the reads of one replica use to share their counts of rows: another replica may have other rows. */
  readonly newCounts: () => SharedCounts
  /** Milliseconds from any fixed point, monotonic. */
  readonly elapsed: () => number
  /** Called once per outage. */
  readonly onUnavailable: (index: number, cause: unknown) => void
}

/** A configured replica, available or not. */
interface Member {
  readonly index: number
  readonly db: AnyDatabase
  readonly connect: () => MaybePromise<InternalDialect>
  /** Absent until the first check has succeeded. */
  replica?: Replica
  isAvailable: boolean
  /** Whether `onUnavailable` was called for this outage. */
  isReported: boolean
  nextCheck: number
  /** The check that is running. */
  checking?: Promise<void> | undefined
}

/** Creates the replicas of an API; none is available until its first check. */
export function createReplicas({
  dbs,
  connect,
  newCounts,
  elapsed,
  onUnavailable,
}: ReplicasParts): Replicas {
  const members = dbs.map(
    (db, index): Member => ({
      index,
      db: db.withoutPlugins(),
      connect: connect(db),
      isAvailable: false,
      isReported: false,
      nextCheck: Number.NEGATIVE_INFINITY,
    }),
  )
  /** The index of the replica that is next in turn. */
  let turn = 0

  const setUnavailable = (member: Member, cause: unknown): void => {
    member.isAvailable = false
    member.nextCheck = elapsed() + checkInterval
    if (member.isReported) return
    member.isReported = true
    onUnavailable(member.index, cause)
  }

  const check = async (member: Member): Promise<void> => {
    const { db } = member
    try {
      const dialect = await member.connect()
      const lease = new Lease({ db, dialect, bounds: requestBounds(timeout) })
      await lease.rows(sql`select 1 as ${sql.id('answer')}`)
      // A new object, because after a repair the replica may have lost positions that it had reached.
      member.replica = createReplica({ db, dialect, counts: newCounts() })
      member.isAvailable = true
      member.isReported = false
    } catch (error) {
      setUnavailable(member, error)
    } finally {
      member.checking = undefined
    }
  }

  const checkOnce = (member: Member): Promise<void> => {
    member.checking ??= check(member)
    return member.checking
  }

  return {
    next() {
      let found: Replica | undefined
      // Looks at all members, also after one was found, to check those that are unavailable.
      for (let i = 0; i < members.length; i += 1) {
        const member = members[(turn + i) % members.length] as Member
        if (member.isAvailable && found === undefined) {
          found = member.replica
          turn = (turn + i + 1) % members.length
        }
        if (!member.isAvailable && member.checking === undefined && elapsed() >= member.nextCheck) {
          void checkOnce(member)
        }
      }
      return found
    },
    markUnavailable(replica, cause) {
      const member = members.find((each) => each.replica === replica)
      if (member !== undefined) setUnavailable(member, cause)
    },
    async checked() {
      await Promise.all(
        members.map((member) => (member.isAvailable ? undefined : checkOnce(member))),
      )
    },
  }
}
