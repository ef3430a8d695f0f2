/** Sends requests to servers in turns, and records the resources that each server used: the samples of a report. */
import { placeDatabase } from './apart.ts'
import { load, open } from './client.ts'
import type { DatabaseName } from './databases.ts'
import { random } from './random.ts'
import type { Measured, Sample } from './report.ts'
import { asked, type Server } from './servers.ts'
import type { Workload } from './workloads.ts'

export interface Turns {
  readonly rounds: number
  /** Seconds of load before the first round, because new code is slow. */
  readonly warm: number
  /** The least number of requests before the first round. V8 optimises code that has run often, which takes long for slow workloads. */
  readonly warmRequests?: number
  readonly seconds: number
  readonly connections: number
  /** Requests per second for each server. Default: as many as it can serve. */
  readonly perSecond?: number
  /** Whether servers run on a separate processor. */
  readonly apart?: boolean
  /** Whether the load keeps running while it waits for responses. */
  readonly awake?: boolean
}

/** Measures every server once in each round; each round begins with another server. */
export async function inTurns(
  database: DatabaseName,
  servers: readonly Server[],
  workload: Workload,
  turns: Turns,
): Promise<Measured[]> {
  const able = servers.filter(({ asks }) => workload[asks] !== undefined)
  const samples = new Map<string, Sample[]>(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < turns.rounds; round++) {
    for (let i = 0; i < able.length; i++) {
      const server = able[(i + round) % able.length] as Server
      try {
        if (round === 0) {
          const { warm, warmRequests = 0 } = turns
          await sample(server, workload, { ...turns, seconds: warm, least: warmRequests }, round)
        }
        samples.get(server.name)?.push(await sample(server, workload, turns, round))
      } catch (error) {
        // A system that fails has no figure; the other systems are measured.
        console.error(String(error))
      }
    }
  }
  console.error(`${database} ${workload.name} ${workload.title}`)
  return servers.map(({ name }) => ({
    database,
    system: name,
    workload: workload.name,
    title: workload.title,
    samples: samples.get(name) ?? [],
  }))
}

/** The options of one sample. */
type Sampling = Omit<Turns, 'rounds' | 'warm' | 'warmRequests'> & { readonly least?: number }

/** Loads a server for some seconds. The server must have a form for the workload. */
export async function sample(
  server: Server,
  workload: Workload,
  { seconds, connections, perSecond, apart, awake, least }: Sampling,
  round: number,
): Promise<Sample> {
  const next = random(round + 1)
  const form = workload[server.asks]
  if (form === undefined) throw new Error(`${server.name} has no form for ${workload.name}`)
  const ask = () => asked(server, form, next)
  // The first request opens a connection to the database, so that its threads can be found.
  const warm = await open(server.port)
  await warm.send(ask())
  warm.close()
  if (apart === true) placeDatabase(await server.threads())
  const [before, databaseBefore] = [await server.used(), await server.database()]
  const { requests, latencies, failure, ...done } = await load({
    port: server.port,
    connections,
    seconds,
    ask,
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(awake === undefined ? {} : { awake }),
    ...(least === undefined ? {} : { least }),
  })
  if (failure !== undefined) throw new Error(`${server.name} ${workload.name}: ${failure}`)
  const [after, databaseAfter] = [await server.used(), await server.database()]
  const database =
    databaseBefore === undefined || databaseAfter === undefined
      ? undefined
      : (databaseAfter - databaseBefore) / requests
  return {
    cpu: (after.cpu - before.cpu) / requests,
    perSecond: requests / done.seconds,
    p50: latencies[Math.floor(requests / 2)] ?? 0,
    p99: latencies[Math.floor(requests * 0.99)] ?? 0,
    memory: after.memory,
    ...(database === undefined ? {} : { database }),
    ...(after.statements === undefined || before.statements === undefined
      ? {}
      : { statements: (after.statements - before.statements) / requests }),
  }
}
