// atFreeLevel: runs work inside a savepoint whose name no other open one of its connection has: `write/store/savepoint.ts` appends the
// level to the names, as in `savepoint name_2`.

import type { DatabaseConnection } from 'kysely'
import { Lease } from './lease.ts'

/** The levels of the open savepoints of each connection. Hooks, and other APIs on the transaction, may set some inside of others. */
const openLevels = new WeakMap<DatabaseConnection, Set<number>>()

/** Runs work with a lease that has a level which is free on its connection. */
export async function atFreeLevel<T>(
  outside: Lease,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const connection = await outside.db.getExecutor().provideConnection(async (provided) => provided)
  const levels = openLevels.get(connection) ?? new Set()
  openLevels.set(connection, levels)
  let level = 1
  while (levels.has(level)) level++
  levels.add(level)
  try {
    return await work(new Lease({ ...outside, level }))
  } finally {
    levels.delete(level)
  }
}
