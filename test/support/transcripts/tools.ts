/** Loads the core and the test support of a checkout, so that one script records the writes of any version. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Core from '@model-api/core'
import type * as Internals from '@model-api/core/internals'
import type * as Databases from '../databases.ts'
import type * as Registry from '../registry.ts'
import type * as Servers from '../servers.ts'
import type * as Tables from '../tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: values of any model and of any request
export type Any = any
export type Row = Record<string, Any>
/** Returns a whole number below its argument. */
export type Next = (below: number) => number

/** Choices by random numbers. */
export const diceOf = (next: Next) => ({
  chance: (percent: number): boolean => next(100) < percent,
  /** One of a list; undefined of an empty one. */
  one: <T>(list: readonly T[]): T => list[next(list.length)] as T,
  times: <T>(count: number, make: (i: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => make(i)),
})

export interface Tools {
  readonly core: typeof Core
  readonly detectDialect: typeof Internals.detectDialect
  readonly open: () => Databases.TestDatabase
  readonly createTables: typeof Tables.createTables
  readonly insertRows: typeof Tables.insertRows
  /** Closes every database and stops the servers that were started. */
  readonly end: () => Promise<void>
}

export type { TestDatabase } from '../databases.ts'

/** Loads what a checkout has; `engine` is `sqlite`, `postgres`, `mariadb` or `mysql`, of which the first server is used. */
export async function loadTools(checkout: string, engine: string): Promise<Tools> {
  const load = <T>(path: string): Promise<T> => import(pathToFileURL(join(checkout, path)).href)
  const core = await load<typeof Core>('packages/core/src/index.ts')
  const { detectDialect } = await load<typeof Internals>('packages/core/src/internals.ts')
  const databases = await load<typeof Databases>('test/support/databases.ts')
  const { createTables, insertRows } = await load<typeof Tables>('test/support/tables.ts')
  const { closeAll } = await load<typeof Registry>('test/support/registry.ts')
  const { findServers, stopServers } = await load<typeof Servers>('test/support/servers.ts')
  if (engine !== 'sqlite') process.env.TEST_SERVERS = JSON.stringify(await findServers())
  const open = (): Databases.TestDatabase => {
    const found = databases.openDatabases().find((db) => db.engine === engine)
    if (found === undefined) throw new Error(`there is no server of ${engine}`)
    return found
  }
  const end = async (): Promise<void> => {
    await closeAll()
    await stopServers()
  }
  return { core, detectDialect, open, createTables, insertRows, end }
}
