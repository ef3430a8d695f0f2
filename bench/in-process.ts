/** What the commands that measure ways of doing the same in one process share: options, a database of their own, and turns. */
import { CompiledQuery, type Kysely, type Logger } from 'kysely'
import {
  type DatabaseName,
  databaseNames,
  dropDatabase,
  locationOf,
  openScript,
} from './databases.ts'
import { openKysely } from './systems/kysely.ts'

/** For `parseArgs`, beside those of one command. */
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

/** Opens a database that other runs do not touch, with one connection and prepared statements; that of SQLite is in memory. */
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
  /** The rounds before the measured ones: V8 makes code fast by how often it has run. */
  readonly warmUp: number
  readonly rounds: number
}

/** Gives every way a turn in each round, beginning with another one each time; returns what the measured turns cost. */
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
