/** The command of the benchmark: fills the databases, starts every server, sends requests to them in turns, and prints the tables. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { leavePlaces, placeSelf, placeServer } from './apart.ts'
import { cursorsOf } from './cursors.ts'
import { fill, sizes } from './data.ts'
import { type DatabaseName, databaseNames, openScript, type Script } from './databases.ts'
import { inTurns } from './measure.ts'
import { profile } from './profile.ts'
import { dearer, type Measured, report } from './report.ts'
import { type Server, start } from './servers.ts'
import { systems } from './systems/systems.ts'
import { createUsers, userHeaders } from './users.ts'
import { verify } from './verify.ts'
import { type Workload, workloads } from './workloads.ts'

const help = `npx --yes pnpm@12.21.0 bench [options]

  --databases a,b     ${databaseNames.join(', ')} (default: all)
  --systems a,b       ${Object.keys(systems).join(', ')}
                      (default: all that are installed; with --profile: model-api)
  --workloads a,b     ${workloads.map(({ name }) => name).join(', ')} (default: all)
  --beside name=path  the same systems of another checkout, as <system>@<name>; for before and after; not for rivals
  --against path      model-api alone beside that of another checkout; fails where a workload costs a tenth more CPU
  --rounds N          how often each is asked; the median counts (default 3)
  --seconds S         how long each time (default 1)
  --warm S            seconds of load before the first of them (default 1)
  --warm-requests N   least requests of that load, as far as half a minute does; V8 makes code fast by how often it has run
  --connections N     requests at a time (default 16)
  --per-second N      each is given so many requests per second; default: as many as it answers
  --apart             each server alone on the first processor, the load and the database on the others (Linux)
  --awake             the load never sleeps, so that no server pays for waking it; takes a processor of its own
  --profile folder    where the time goes instead: a CPU profile of each system for each workload, written there
  --fill              makes the tables anew
  --json file         every sample, for other eyes
  --help, -h          this text`

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    systems: { type: 'string' },
    workloads: { type: 'string', default: workloads.map(({ name }) => name).join() },
    beside: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    warm: { type: 'string', default: '1' },
    'warm-requests': { type: 'string', default: '0' },
    connections: { type: 'string', default: '16' },
    'per-second': { type: 'string' },
    apart: { type: 'boolean', default: false },
    awake: { type: 'boolean', default: false },
    profile: { type: 'string' },
    fill: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const turns = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  warm: Number(options.warm),
  warmRequests: Number(options['warm-requests']),
  apart: options.apart,
  awake: options.awake,
  ...(options['per-second'] === undefined ? {} : { perSecond: Number(options['per-second']) }),
  connections: Number(options.connections),
}

if (options.help) console.log(help)
else await main()

async function main(): Promise<void> {
  const isAlone = options.profile !== undefined || options.against !== undefined
  const asked = options.systems ?? (isAlone ? 'model-api' : undefined)
  const names = namesIn(asked, Object.keys(systems), 'system')
  const installed = names.filter((name) => systems[name]?.isInstalled?.() ?? true)
  const absent = names.filter((name) => !installed.includes(name))
  if (absent.length > 0) {
    console.error(`not installed: ${absent.join(', ')} (npm ci in bench/rivals)`)
  }
  const measured: Measured[] = []
  for (const database of namesIn(options.databases, databaseNames, 'database')) {
    const able = installed.filter((name) => systems[name]?.databases?.includes(database) ?? true)
    const script = await openScript(database)
    console.error(`${database}: filling …`)
    await fill(database, script, options.fill)
    await createUsers(script)
    // Removes the dead rows of earlier writes, which make counts slower.
    if (database === 'postgres') await script.run('vacuum analyze')
    try {
      if (options.profile === undefined) measured.push(...(await measure(database, script, able)))
      else await profileEach(options.profile, database, script, able)
    } catch (error) {
      // The results of the other databases are still useful.
      console.error(`${database}:`, error)
      process.exitCode = 1
    } finally {
      await script.run(`delete from reviews where id > ${sizes.reviews}`)
      if (database === 'postgres') await script.run('vacuum analyze')
      await script.end()
    }
  }
  if (options.profile !== undefined) return
  console.log(report(measured))
  if (options.against !== undefined) {
    const lines = dearer(measured, 1.1)
    for (const line of lines) console.log(line)
    if (lines.length > 0) process.exitCode = 1
  }
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(measured))
}

/** Returns the names in a comma-separated list, or all names without a list. Throws for an unknown name. */
function namesIn<T extends string>(text: string | undefined, known: readonly T[], of: string): T[] {
  const names = (text?.split(',') ?? known) as T[]
  for (const name of names) {
    if (!known.includes(name)) throw new Error(`no ${of} is called "${name}": ${known.join(', ')}`)
  }
  return [...names]
}

function chosenWorkloads(): readonly Workload[] {
  const known = workloads.map(({ name }) => name)
  const names = namesIn(options.workloads, known, 'workload')
  return workloads.filter(({ name }) => names.includes(name))
}

async function measure(
  database: DatabaseName,
  script: Script,
  names: readonly string[],
): Promise<Measured[]> {
  const servers: Server[] = []
  try {
    for (const name of names) servers.push(...(await startWithBesides(name, database, script)))
    if (options.apart) {
      placeSelf()
      placeServer(servers.flatMap(({ pids }) => pids))
    }
    await verify(servers, chosenWorkloads())
    const measured: Measured[] = []
    for (const workload of chosenWorkloads()) {
      measured.push(...(await inTurns(database, servers, workload, turns)))
    }
    return measured
  } finally {
    leavePlaces()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function startWithBesides(
  name: string,
  database: DatabaseName,
  script: Script,
): Promise<Server[]> {
  const asks = systems[name]?.asks ?? 'own'
  const users = await usersOf(name)
  const servers = [await start({ name, asks, database, script, users })]
  const texts = [...options.beside, ...(options.against ? [`before=${options.against}`] : [])]
  const besides = texts.map((text) => text.split('=') as [string, string])
  for (const [label, path] of asks === 'api' ? besides : []) {
    const file = `${path}/bench/server.ts`
    servers.push(
      await start({ name: `${name}@${label}`, asks, database, script, users, file, args: [name] }),
    )
  }
  if (!chosenWorkloads().some((workload) => workload.name === 'W12')) return servers
  return Promise.all(
    servers.map(async (server) => ({ ...server, cursors: await cursorsOf(server) })),
  )
}

/** Returns the headers of a system's users; empty for a system without users. */
async function usersOf(name: string): Promise<Server['users']> {
  return systems[name]?.users ? userHeaders() : []
}

async function profileEach(
  folder: string,
  database: DatabaseName,
  script: Script,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const asks = systems[name]?.asks ?? 'own'
    const given = { name, asks, database, script, users: await usersOf(name) }
    for (const workload of chosenWorkloads()) {
      const text = await profile(given, workload, { folder, ...turns })
      if (text !== undefined) console.log(text)
    }
  }
}
