// createConnections: builds what requests need of the databases of an API: sessions, dialect, replicas and the state of the health route.
// `connectReplicas` and `causeOf` serve `api.ready`.

import type { Connections } from '../../database/connections.ts'
import { Lease } from '../../database/leases/lease.ts'
import { createReadiness } from '../../database/readiness.ts'
import { currentPosition } from '../../database/replicas/position.ts'
import { createReplicas } from '../../database/replicas/replicas.ts'
import { createSharedCounts } from '../../database/shared-counts.ts'
import { requestBounds } from '../../database/statements/bounds.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { ApiError } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'

/** Returns the dialect of a database, which is asked on a connection once. */
type Connect = (on?: AnyDatabase) => MaybePromise<InternalDialect>

/** Lets requests wait until the models have been compared with the schema of the database. */
interface SchemaGate {
  /** Whether requests need neither start the comparison nor wait for it. */
  isSettled(): boolean
  /** Starts the comparison, and waits for it where a difference would refuse requests. */
  admit(on: AnyDatabase, known: InternalDialect): MaybePromise<void>
}

/** What `createConnections` takes. */
export interface ConnectionParts
  extends Pick<Connections, 'root' | 'schema' | 'session' | 'knownSession'> {
  /** The dialect of the primary. */
  readonly connected: Connect
  readonly schemaGate: SchemaGate
  readonly replicas: readonly AnyDatabase[]
  readonly connectReplica: (db: AnyDatabase) => Connect
  /** Whether any published endpoint writes. */
  readonly writes: boolean
  readonly warn: (message: string) => void
  /** Milliseconds from any fixed point, monotonic. */
  readonly elapsed: () => number
}

/** Creates the `database` of a Runtime, without connecting. */
export function createConnections({
  root,
  schema,
  session,
  knownSession,
  connected,
  schemaGate,
  replicas,
  connectReplica,
  writes,
  warn,
  elapsed,
}: ConnectionParts): Connections {
  const dialect = (on: AnyDatabase = root): MaybePromise<InternalDialect> => {
    const known = connected(on)
    if (schemaGate.isSettled()) return known
    return andThen(known, (dialect) => andThen(schemaGate.admit(on, dialect), () => dialect))
  }
  const newCounts = () => createSharedCounts(elapsed)
  return {
    root,
    schema,
    dialect,
    session,
    knownSession,
    replicas:
      replicas.length === 0
        ? undefined
        : createReplicas({
            dbs: replicas,
            connect: connectReplica,
            newCounts,
            elapsed,
            onUnavailable: (index, cause) => warn(replicaAway(index, causeOf(cause))),
          }),
    counts: newCounts(),
    readiness: createReadiness({ db: root, dialect: () => dialect(), writes, elapsed }),
  }
}

/** Connects the replicas, and warns if the primary does not report the position that reads of own writes need. */
export async function connectReplicas(
  { replicas, root, dialect }: Connections,
  { readYourWrites, statementTimeout }: ApiSettings,
  warn: (message: string) => void,
): Promise<void> {
  if (replicas === undefined) return
  await replicas.checked()
  if (readYourWrites === 'off') return
  const db = withoutPlugins(root)
  const primary = new Lease({
    db,
    dialect: await dialect(),
    bounds: requestBounds(statementTimeout),
  })
  if ((await currentPosition(primary)) === undefined) warn(noPositions(primary.dialect))
}

const noPositions = (dialect: InternalDialect): string =>
  `The primary does not report its log position, which requires ${dialect.server?.replication?.needs}. Until then ` +
  `${settingNames.readYourWrites} sends requests with a position to the primary.`

/** Returns the warning about an unavailable replica. */
const replicaAway = (index: number, cause: unknown): string =>
  `replicas[${index}] is unavailable and skipped until it is back: ${cause instanceof Error ? cause.message : String(cause)}`

/** Returns the cause of an ApiError, which responses do not show but `ready` reports; any other error unchanged. */
export const causeOf = (error: unknown): unknown =>
  error instanceof ApiError ? (error.cause ?? error) : error
