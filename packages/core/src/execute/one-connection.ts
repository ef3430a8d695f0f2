// Several statements on one connection of the pool, without a transaction.

import type { AnyDatabase } from '../compile/target.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { Timing } from '../http/server-timing.ts'
import { unavailableBecause } from './unavailable.ts'

/**
 * Runs `work` with one connection, which the pool gets back at its end; 503 where there is none. In a transaction there
 * is only one anyway. Where the request is timed, the wait for the connection counts as the database's.
 */
export async function onOneConnection<T>(
  db: AnyDatabase,
  { dialect, timing }: { readonly dialect: Dialect; readonly timing?: Timing | undefined },
  work: (one: AnyDatabase) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db)
  let isConnected = false
  const reserve = (): Promise<T> =>
    db.connection().execute((one) => {
      isConnected = true
      return timing === undefined ? work(one) : timing.ownWork(() => work(one))
    })
  try {
    return await (timing === undefined ? reserve() : timing.database(reserve))
  } catch (error) {
    throw (!isConnected && unavailableBecause(dialect, error)) || error
  }
}
