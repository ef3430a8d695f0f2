// Connects the dialect: queries the server's version and settings once, on one connection and within API_STATEMENT_TIMEOUT.

import { onBoundedConnection } from '../../database/leases/bounded-connection.ts'
import { lookUpLastingSettings } from '../../database/leases/lasting-settings.ts'
import type { Bounds } from '../../database/statements/bounds.ts'
import { isTemporary } from '../../database/statements/unavailable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { withArrayRows } from '../../dialect/shared/values/array-rows-support.ts'
import { ApiError, databaseUnavailable, notReady } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { DialectTable } from '../../model/dialect-column.ts'

/** What `connectOnce` takes. */
export interface ConnectOptions {
  readonly db: AnyDatabase
  /** The dialect as the Kysely adapter tells it, before the server was asked for its version. */
  readonly detected: InternalDialect
  /** The tables of the models, about which the dialect asks the database. */
  readonly tables: readonly DialectTable[]
  readonly warn: (message: string) => void
  /** Whether a given instance takes its connections from the pool of `db`, and may take another one. */
  readonly isPool: (on: AnyDatabase) => boolean
  /** Receives the error of a failed look-up, unless the database is unavailable. */
  readonly report: (error: unknown) => void
  /** The time limit of the look-up. */
  readonly bounds: Bounds
}

/**
 * Returns the connected dialect; after a failed look-up the next request tries again. A transaction runs the look-up on its
 * own connection: open transactions may hold every connection of the pool, and waiting for another one would deadlock.
 */
export function connectOnce({
  db,
  detected,
  tables,
  warn,
  isPool,
  report,
  bounds,
}: ConnectOptions): (on?: AnyDatabase) => MaybePromise<InternalDialect> {
  /** The look-up on the pool that is under way; undefined after one that failed. */
  let known: Promise<InternalDialect> | undefined
  let advised = false

  const connect = async (own: AnyDatabase): Promise<InternalDialect> => {
    const dialect = (await detected.connect?.(own, tables)) ?? detected
    const connected = await withWrites(own, await withArrayRows(own, dialect), tables)
    for (const advice of advised ? [] : (connected.server?.advice ?? [])) warn(advice)
    advised = true
    return connected
  }

  /**
   * Finds out whether connections keep the settings of their sessions. Unless it is known that they do, the settings are read at each use, so
   * only an unavailable database is an error.
   */
  const lookUpLasting = (): Promise<void> =>
    lookUpLastingSettings(db.withoutPlugins(), detected, bounds).catch((error: unknown) => {
      if (error instanceof ApiError || isTemporary(detected.classify(error).kind)) throw error
    })

  const onOne = async (on: AnyDatabase): Promise<InternalDialect> => {
    const own = on.withoutPlugins()
    if (isPool(on)) await lookUpLasting()
    return onBoundedConnection(own, detected, bounds, connect)
  }

  const attempt = (on: AnyDatabase): Promise<InternalDialect> =>
    onOne(on).catch((given: unknown) => {
      // A connection with wrong settings is refused by an ApiError, whose cause says which.
      const error = given instanceof ApiError ? given.cause : given
      // Any other error is a mistake in the configuration of the application or the database.
      const unavailable = isTemporary(detected.classify(error).kind)
      if (!unavailable) report(error)
      throw Object.assign(unavailable ? databaseUnavailable() : notReady(), { cause: error })
    })

  /** The result of the first look-up that succeeded, without a promise. */
  let settled: InternalDialect | undefined
  return (on = db) => {
    if (settled !== undefined) return settled
    if (known !== undefined && !on.isTransaction) return known
    const asking = attempt(on)
    if (!on.isTransaction) known = asking
    asking.then(
      (dialect) => {
        settled = dialect
        // Not waited for, because sessions of the host may hold every connection of the pool.
        if (!isPool(on)) lookUpLasting().catch(() => {})
      },
      () => {
        if (known === asking) known = undefined
      },
    )
    return asking
  }
}

/** Adds to the dialect which writes this database supports on which tables. */
async function withWrites(
  db: AnyDatabase,
  dialect: InternalDialect,
  tables: readonly DialectTable[],
): Promise<InternalDialect> {
  const { shortcuts } = dialect
  const singleWrites = await shortcuts?.lookUpSingleWrites?.(db, tables)
  const orderedUpdates = await shortcuts?.lookUpOrderedUpdates?.(db, tables)
  return {
    ...dialect,
    ...(shortcuts && {
      shortcuts: {
        ...shortcuts,
        ...(singleWrites && { singleWrites }),
        ...(orderedUpdates && { orderedUpdates }),
      },
    }),
  }
}
