// What the dialect must know of the server: looked up once, on a connection of its own, within the time of a statement.

import type { FastPaths } from './config/fast-paths.ts'
import type { Dialect, DialectTable } from './dialect/dialect.ts'
import { withArrayRows } from './dialect/shared/array-rows-support.ts'
import { withLoneWrites } from './dialect/shared/writes.ts'
import { databaseUnavailable, notReady } from './errors.ts'
import { onBoundedConnection } from './execute/bounded-connection.ts'
import type { Bounds } from './execute/bounds.ts'
import { isUnavailable } from './execute/unavailable.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { AnyDatabase } from './sql/any-database.ts'

export interface ConnectOptions {
  readonly db: AnyDatabase
  readonly detected: Dialect
  readonly tables: readonly DialectTable[]
  readonly warn: (message: string) => void
  /** Told why the look-up failed, where the reason is another one than a database that is away. */
  readonly report: (error: unknown) => void
  readonly bounds: Bounds
  readonly fastPaths: Pick<FastPaths, 'arrayRows' | 'singleStatementWrites'>
}

/**
 * The dialect, once what it must know is known; a failed attempt is repeated by the next request. A transaction asks on
 * its own connection: open transactions may hold every other, and wait for this answer.
 */
export function connectOnce({
  db,
  detected,
  tables,
  warn,
  report,
  bounds,
  fastPaths,
}: ConnectOptions): (on?: AnyDatabase) => MaybePromise<Dialect> {
  let known: Promise<Dialect> | undefined
  let advised = false

  const connect = async (own: AnyDatabase): Promise<Dialect> => {
    const dialect = (await detected.connect?.(own, tables)) ?? detected
    const rows = fastPaths.arrayRows ? await withArrayRows(own, dialect) : dialect
    const connected = fastPaths.singleStatementWrites
      ? await withLoneWrites(own, rows, tables)
      : rows
    for (const advice of advised ? [] : (connected.advice ?? [])) warn(advice)
    advised = true
    return connected
  }

  const attempt = (on: AnyDatabase): Promise<Dialect> =>
    onBoundedConnection(on.withoutPlugins(), detected, bounds, connect).catch((error: unknown) => {
      // Any other failure is one of the set-up.
      const isAway = isUnavailable(detected.classify(error).kind)
      if (!isAway) report(error)
      throw Object.assign(isAway ? databaseUnavailable() : notReady(), { cause: error })
    })

  let settled: Dialect | undefined
  return (on = db) => {
    if (settled !== undefined) return settled
    if (known !== undefined && !on.isTransaction) return known
    const asking = attempt(on)
    if (!on.isTransaction) known = asking
    asking.then(
      (dialect) => {
        settled = dialect
      },
      () => {
        if (known === asking) known = undefined
      },
    )
    return asking
  }
}
