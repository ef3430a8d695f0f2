// openRequestDatabase: the database of a request, as a lease on which its statements are sent: that of its session, a replica, or the transaction
// of a batch or of the host. Called by endpoints after planning, and takes no connection of the pool yet. The other functions adapt it to a
// transaction of the host, or to one connection.

import { Lease } from '../../../../database/leases/lease.ts'
import type { Replica } from '../../../../database/replicas/replica.ts'
import { requestBounds } from '../../../../database/statements/bounds.ts'
import type { InternalDialect } from '../../../../dialect/internal-dialect.ts'
import { andThen, type MaybePromise } from '../../../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../../../lib/sql/any-database.ts'
import { withoutPlugins } from '../../../../lib/sql/without-plugins.ts'
import { readingNewest } from '../../../../query/compile/read-lock.ts'
import { noScopes } from '../../../../query/compile/scopes.ts'
import type { Target } from '../../../../query/compile/target.ts'
import type { Opened } from '../../../../query/scoper.ts'
import type { Call } from '../../../call/call.ts'

/** Whether the host application has begun the transaction of a request. The request then neither commits nor retries. */
export const isHosted = ({ runtime }: Pick<Call, 'runtime'>, own: AnyDatabase): boolean =>
  own.isTransaction && runtime.batch === undefined

/**
 * The connection of a write. In a transaction of the host, whose isolation level is unknown, it reads the newest rows, as its UPDATEs
 * change these, instead of the snapshot of the transaction. `hosted` of a batch is false if the service has begun its transaction.
 */
export const withNewestRows = ({ runtime }: Pick<Call, 'runtime'>, opened: Opened): Opened =>
  opened.own.isTransaction && runtime.batch?.hosted !== false
    ? { ...opened, target: readingNewest(opened.target) }
    : opened

/** What the connection of a request depends on. */
export type OpenedBy = Pick<Call, 'runtime' | 'request' | 'replica'>

/** Gets the connection of this request: from API_SESSION_GETTER, a replica or `db`. */
export const openRequestDatabase = (call: OpenedBy): MaybePromise<Opened> =>
  andThen(call.runtime.database.session(call.request), (own) =>
    call.replica === undefined
      ? andThen(call.runtime.database.dialect(own), (dialect) => openedWith(call, own, dialect))
      : openedOnReplica(call, own, call.replica),
  )

/** Returns the database of a request on the connection `own`, with the deadline of the request. */
function openedWith(call: OpenedBy, own: AnyDatabase, dialect: InternalDialect): Opened {
  const { runtime } = call
  const db = withoutPlugins(own)
  const target: Target = { db, dialect, scopes: noScopes }
  const lease = new Lease({
    db,
    dialect,
    bounds: requestBounds(runtime.settings.statementTimeout, call.request),
    // The transaction of a batch bounds its statements (`runOperations`).
    isBounded: runtime.batch !== undefined,
    // A transaction sees its own uncommitted rows, so it must not share the count of another request.
    counts:
      own === runtime.database.root && !own.isTransaction ? runtime.database.counts : undefined,
    level: runtime.batch?.level,
  })
  return { lease, target, own }
}

/** `openedWith`, but statements go to the replica. Policies and hooks still receive the primary's instance. */
function openedOnReplica(
  call: OpenedBy,
  own: AnyDatabase,
  { db, dialect, counts }: Replica,
): Opened {
  const { lease, target } = openedWith(call, own, dialect)
  return { own, target: { ...target, db }, lease: new Lease({ ...lease, db, counts }) }
}

/** Runs `work` with one connection of the pool for all its statements. */
export const withOneConnection = <T>(
  { lease, target, own }: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> =>
  lease.onOneConnection(
    (one, db) => work({ lease: one, target: { ...target, db: one.db }, own: db }),
    own,
  )
