/** The one command: fills the databases, starts every server, and asks them in turns; prints the tables. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load, open } from './client.ts'
import { fill, sizes } from './data.ts'
import { type DatabaseName, databaseNames, openScript, type Script } from './databases.ts'
import { random } from './random.ts'
import { type Measured, report, type Sample } from './report.ts'
import type { Used } from './server.ts'
import { systems } from './systems/systems.ts'
import { type DatabaseCpu, databaseCpu } from './threads.ts'
import { verify } from './verify.ts'
import { type Workload, workloads } from './workloads.ts'

const help = `npx --yes pnpm@12.21.0 bench [options]

  --databases a,b     ${databaseNames.join(', ')} (default: all)
  --systems a,b       ${Object.keys(systems).join(', ')} (default: all)
  --workloads a,b     ${workloads.map(({ name }) => name).join(', ')} (default: all)
  --beside name=path  the same system of another checkout, as <system>@<name>; for before and after
  --rounds N          how often each is asked; the median counts (default 3)
  --seconds S         how long each time (default 1)
  --connections N     requests at a time (default 16)
  --fill              makes the tables anew
  --json file         every sample, for other eyes`

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    systems: { type: 'string', default: Object.keys(systems).join() },
    workloads: { type: 'string', default: workloads.map(({ name }) => name).join() },
    beside: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    fill: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (options.help) console.log(help)
else await main()

interface Server {
  readonly name: string
  readonly asks: 'api' | 'own'
  readonly port: number
  readonly used: () => Promise<Used>
  readonly database: DatabaseCpu
  stop(): void
}

async function main(): Promise<void> {
  const measured: Measured[] = []
  for (const name of options.databases.split(',') as DatabaseName[]) {
    const script = await openScript(name)
    console.error(`${name}: filling …`)
    await fill(name, script, options.fill)
    const servers = await startAll(name, script)
    try {
      await verify(servers, chosenWorkloads())
      for (const workload of chosenWorkloads())
        measured.push(...(await inTurns(name, servers, workload)))
    } finally {
      for (const server of servers) server.stop()
      await script.run(`delete from reviews where id > ${sizes.reviews}`)
      if (name === 'postgres') await script.run('vacuum analyze')
      await script.end()
    }
  }
  console.log(report(measured))
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(measured))
}

function chosenWorkloads(): readonly Workload[] {
  const names = options.workloads.split(',')
  return workloads.filter(({ name }) => names.includes(name))
}

async function startAll(database: DatabaseName, script: Script): Promise<Server[]> {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const besides = options.beside.map((text) => text.split('=') as [string, string])
  const servers: Server[] = []
  for (const name of options.systems.split(',')) {
    const asks = systems[name]?.asks ?? 'own'
    servers.push(await start({ name, asks, folder: here, system: name, database, script }))
    for (const [label, path] of asks === 'api' ? besides : []) {
      const folder = `${path}/bench/`
      servers.push(
        await start({ name: `${name}@${label}`, asks, folder, system: name, database, script }),
      )
    }
  }
  return servers
}

async function start(given: {
  name: string
  asks: 'api' | 'own'
  folder: string
  system: string
  database: DatabaseName
  script: Script
}): Promise<Server> {
  const { name, asks, folder, system, database, script } = given
  const child = fork(`${folder}server.ts`, [system, database], {
    execArgv: ['--conditions=@model-api/source'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [{ port }] = await once(child, 'message')
  return {
    name,
    asks,
    port,
    database: databaseCpu(database, script, child.pid ?? 0),
    used: async () => {
      child.send('used')
      const [used] = await once(child, 'message')
      return used
    },
    stop: () => void child.kill(),
  }
}

/** Every server is asked once in each round, beginning with another one each time. */
async function inTurns(
  database: DatabaseName,
  servers: readonly Server[],
  workload: Workload,
): Promise<Measured[]> {
  const samples = new Map<string, Sample[]>(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length] as Server
      try {
        if (round === 0) await sample(server, workload, 0.3, round)
        samples
          .get(server.name)
          ?.push(await sample(server, workload, Number(options.seconds), round))
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

async function sample(
  server: Server,
  workload: Workload,
  seconds: number,
  round: number,
): Promise<Sample> {
  const next = random(round + 1)
  const ask = (): ReturnType<Workload['api']> => workload[server.asks](next)
  // Connections to the database are open before its threads are looked at.
  const warm = await open(server.port)
  await warm.send(ask())
  warm.close()
  const [before, databaseBefore] = [await server.used(), await server.database()]
  const connections = Number(options.connections)
  const { requests, latencies, failure, ...done } = await load({
    port: server.port,
    connections,
    seconds,
    ask,
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
