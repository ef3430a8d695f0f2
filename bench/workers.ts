/**
 * Measures what further processes add: model-api on one and on several workers of node:cluster, to which one client process sends
 * requests in turns.
 */
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { fill, sizes } from './data.ts'
import { openScript, poolSize, type Script } from './databases.ts'
import { sample } from './measure.ts'
import { fixed, markdown, median, type Sample } from './report.ts'
import { here, type Server, start } from './servers.ts'
import { type Workload, workloads } from './workloads.ts'

const help = `node --conditions=@model-api/source bench/workers.ts [options]

  --workers 1,2      how many processes answer; each has its own pool of ${poolSize} connections
  --workloads a,b    default W1,W4,W5
  --rounds N         how often each is asked; the median counts (default 3)
  --seconds S        how long each time (default 1)
  --connections N    requests at a time (default 32)

PostgreSQL alone. The workers are of node:cluster, as those of \`model-api serve --workers\`.`

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2' },
    workloads: { type: 'string', default: 'W1,W4,W5' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** A sample, with the processors that the client and the whole machine used: 1 means one processor all the time. */
interface Shared extends Sample {
  readonly client: number
  readonly machine: number
}

if (options.help) console.log(help)
else await main()

async function main(): Promise<void> {
  const script = await openScript('postgres')
  await fill('postgres', script, false)
  const servers: Server[] = []
  try {
    for (const count of options.workers.split(',')) servers.push(await startOn(count, script))
    for (const name of options.workloads.split(',')) {
      const workload = workloads.find((one) => one.name === name)
      if (workload === undefined) throw new Error(`no workload is called "${name}"`)
      console.log(await compared(servers, workload))
    }
    console.log(
      `${availableParallelism()} processors for all: the client is one process beside the servers and takes its share, as does the database. Where the whole machine is busy, more workers cannot bring more; what servers, database and client do not account for is somebody else's, or the system's.`,
    )
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await script.run(`delete from reviews where id > ${sizes.reviews}`)
    await script.end()
  }
}

function startOn(count: string, script: Script): Promise<Server> {
  return start({
    name: `${count} ${count === '1' ? 'worker' : 'workers'}`,
    asks: 'api',
    database: 'postgres',
    script,
    file: `${here}cluster.ts`,
    args: [count, 'model-api'],
  })
}

async function compared(servers: readonly Server[], workload: Workload): Promise<string> {
  const samples = new Map<Server, Shared[]>(servers.map((server) => [server, []]))
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length] as Server
      if (round === 0) await shared(server, workload, 0.5, round)
      samples.get(server)?.push(await shared(server, workload, Number(options.seconds), round))
    }
  }
  const of = (server: Server, figure: (sample: Shared) => number | undefined): number =>
    median((samples.get(server) ?? []).map((one) => figure(one) ?? Number.NaN))
  const row = (
    title: string,
    figure: (sample: Shared) => number | undefined,
    digits: number,
  ): readonly string[] => {
    const values = servers.map((server) => of(server, figure))
    const first = values[0] ?? Number.NaN
    return [title, ...values.map((value) => `${fixed(value, digits)} (${fixed(value / first, 2)})`)]
  }
  const busy = (micros: number | undefined, { perSecond }: Sample): number | undefined =>
    micros === undefined ? undefined : (micros * perSecond) / 1e6
  return markdown(
    `${workload.name} ${workload.title} (ratio to the first)`,
    servers.map(({ name }) => name),
    [
      row('Requests per second', (one) => one.perSecond, 0),
      row('Latency p50, ms', (one) => one.p50, 2),
      row('Latency p99, ms', (one) => one.p99, 1),
      row('Server CPU per request, µs', (one) => one.cpu, 0),
      row('Database CPU per request, µs', (one) => one.database, 0),
      row('Processors: servers', (one) => busy(one.cpu, one), 2),
      row('Processors: database', (one) => busy(one.database, one), 2),
      row('Processors: client', (one) => one.client, 2),
      row('Processors: whole machine', (one) => one.machine, 2),
      row('Most memory of all, MiB', (one) => one.memory, 0),
    ],
  )
}

async function shared(
  server: Server,
  workload: Workload,
  seconds: number,
  round: number,
): Promise<Shared> {
  const before = process.cpuUsage()
  const machineBefore = busyMilliseconds()
  const started = performance.now()
  const connections = Number(options.connections)
  const taken = await sample(server, workload, { seconds, connections }, round)
  const { user, system } = process.cpuUsage(before)
  const milliseconds = performance.now() - started
  return {
    ...taken,
    client: (user + system) / 1000 / milliseconds,
    machine: (busyMilliseconds() - machineBefore) / milliseconds,
  }
}

/** Returns the busy time of all processors since the machine started. */
function busyMilliseconds(): number {
  return cpus().reduce(
    (sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq,
    0,
  )
}
