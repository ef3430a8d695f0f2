/** Asks servers in turns and takes what each used: the samples of a report. */
import { placeDatabase } from './apart.ts'
import { load, open } from './client.ts'
import type { DatabaseName } from './databases.ts'
import { random } from './random.ts'
import type { Measured, Sample } from './report.ts'
import { asked, type Server } from './servers.ts'
import type { Workload } from './workloads.ts'

export interface Turns {
  readonly rounds: number
  /** Seconds of the load that comes before the first round, since code that is new is slow. */
  readonly warm: number
  /** Least requests of it: code is made fast by how often it has run, which slow workloads take long for. */
  readonly warmRequests?: number
  readonly seconds: number
  readonly connections: number
  /** Requests per second that each is given; as many as it can where nothing is said. */
  readonly perSecond?: number
  /** Servers have a processor of their own. */
  readonly apart?: boolean
  /** The load does not sleep while it waits for answers. */
  readonly awake?: boolean
}

/** Every server is asked once in each round, beginning with another one each time. */
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
        // A system that cannot do it has no figure; the others have.
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

/** How one sample is taken. */
type Sampling = Omit<Turns, 'rounds' | 'warm' | 'warmRequests'> & { readonly least?: number }

/** Loads a server for that many seconds; it must know the workload. */
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
  // Connections to the database are open before its threads are looked at.
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
    statements: (after.statements - before.statements) / requests,
    memory: after.memory,
    ...(database === undefined ? {} : { database }),
  }
}
