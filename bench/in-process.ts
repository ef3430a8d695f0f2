/** The common parts of commands that compare several ways to do the same work in one process: options, a separate database, and turns. */
import { CompiledQuery, type Kysely, type Logger } from 'kysely'
import {
  type DatabaseName,
  databaseNames,
  dropDatabase,
  locationOf,
  openScript,
} from './databases.ts'
import { openKysely } from './systems/kysely.ts'

/** The options that all these commands have, for `parseArgs`. */
export const commonOptions = (rounds: string) =>
  ({
    rounds: { type: 'string', default: rounds },
    databases: { type: 'string', default: databaseNames.join() },
    profile: { type: 'string' },
  }) as const

export interface OwnDatabase {
  readonly db: Kysely<never>
  readonly run: (
    text: string,
    parameters?: readonly unknown[],
  ) => Promise<readonly Record<string, unknown>[]>
  /** Ends the connection, and drops the database. */
  readonly close: () => Promise<void>
}

/** Opens a database for this run only, with one connection and prepared statements; for SQLite a database in memory. */
export async function openOwn(
  name: DatabaseName,
  database: string,
  log?: Logger,
): Promise<OwnDatabase> {
  if (name !== 'sqlite') await (await openScript(name, database)).end()
  const location = name === 'sqlite' ? ':memory:' : locationOf(name, database)
  const opening = { location, connections: 1, ...(log === undefined ? {} : { log }) }
  const db = openKysely(name, true, opening) as Kysely<never>
  return {
    db,
    run: async (text, parameters = []) => {
      const query = CompiledQuery.raw(text, [...parameters])
      return (await db.executeQuery<Record<string, unknown>>(query)).rows
    },
    close: async () => {
      await db.destroy()
      if (name !== 'sqlite') await dropDatabase(name, database)
    },
  }
}

export interface Rounds {
  /** The number of rounds before the measured ones. V8 optimises code that has run often. */
  readonly warmUp: number
  readonly rounds: number
}

/** Gives every way a turn in each round; each round begins with another way. Returns the costs of the measured turns. */
export async function takeTurns<Way extends string, Cost>(
  ways: readonly Way[],
  { warmUp, rounds }: Rounds,
  turn: (way: Way) => Promise<Cost>,
): Promise<Readonly<Record<Way, readonly Cost[]>>> {
  const costs = Object.fromEntries(ways.map((way) => [way, []])) as unknown as Record<Way, Cost[]>
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let i = 0; i < ways.length; i++) {
      const way = ways[(i + round) % ways.length] as Way
      const cost = await turn(way)
      if (round >= warmUp) costs[way].push(cost)
    }
  }
  return costs
}
