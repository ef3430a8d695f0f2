/**
 * `npm run bench:lukewarm`: what a process costs that has just started and gets few requests of many kinds: its start, its first
 * answer, the CPU of a request by its position, and its memory. Every system has a new process in every round; one client sends the requests one after
 * another.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Connection, open } from './client.ts'
import { busyBetween } from './cpu-profile.ts'
import { fill, sizes } from './data.ts'
import { type DatabaseName, databaseNames, openScript, type Script } from './databases.ts'
import { busyTables, profileFlags } from './profile.ts'
import { random } from './random.ts'
import { fixed, median } from './report.ts'
import { asked, type Server, start } from './servers.ts'
import { systems } from './systems/systems.ts'
import { type Next, workloads } from './workloads.ts'

const help = `npm run bench:lukewarm -- [options]

  --databases a,b     ${databaseNames.join(', ')} (default: all)
  --systems a,b       default: limit, hand-koa, hand-express, model-api, and the rivals that are installed
  --workloads a,b     the kinds of requests, which take turns; a system leaves out those that it cannot do
  --beside name=path  model-api of another checkout, which must be built, as model-api@<name>
  --rounds N          processes of each system; the median counts (default 5)
  --most N            requests of each process (default 8000)
  --profile folder    where the time of those requests goes instead: a CPU profile of one cold process of each system, written there`

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    systems: {
      type: 'string',
      default: 'limit,hand-koa,hand-express,model-api,platformatic,feathers,supabase-lite',
    },
    workloads: { type: 'string', default: 'W1,W2n,W3,W4,W5,W10,W8,W9' },
    beside: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    most: { type: 'string', default: '8000' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** The requests are measured in parts that end at these positions. */
const positions = [1, 50, 200, 1_000, 3_000, 8_000].filter((one) => one <= Number(options.most))

interface Candidate {
  readonly name: string
  readonly system: string
  /** The server's file of another checkout. */
  readonly file?: string
}

/** The figures of one process. */
interface Figures {
  /** Milliseconds from the creation of the process until it listens, and the CPU of that time. */
  readonly start: number
  readonly startCpu: number
  /** Milliseconds from the creation of the process until the first answer is complete. */
  readonly firstAnswer: number
  /** Microseconds of CPU of a request in each part. */
  readonly costs: readonly number[]
  /** The same without the other threads of the process, where V8 compiles and collects garbage. */
  readonly onMainThread: readonly number[]
  /** MiB of resident memory when it listens, and at the end. */
  readonly memory: readonly [number, number]
  /** The times of the first and the last request, by the clock of CPU profiles. */
  readonly between: readonly [number, number]
}

const rows = [
  'start ms',
  'start CPU ms',
  'first answer ms',
  ...partNames(),
  ...partNames().map((name) => `main thread, ${name}`),
  'MiB at start',
  'MiB at the end',
]

function partNames(): string[] {
  return positions.map((end, i) => (i === 0 ? 'request 1 µs' : `${positions[i - 1]}–${end} µs`))
}

function candidates(): Candidate[] {
  const named = options.systems.split(',')
  for (const name of named)
    if (systems[name] === undefined) throw new Error(`no system is called "${name}"`)
  const here = named
    .filter((name) => systems[name]?.isInstalled?.() ?? true)
    .map((name) => ({ name, system: name }))
  const elsewhere = options.beside.map((text) => {
    const [label, path] = text.split('=')
    return { name: `model-api@${label}`, system: 'model-api', file: `${path}/bench/server.ts` }
  })
  return [...here, ...elsewhere]
}

const candidatesOn = (database: DatabaseName): Candidate[] =>
  candidates().filter(({ system }) => systems[system]?.databases?.includes(database) ?? true)

const chosenDatabases = (): DatabaseName[] =>
  databaseNames.filter((name) => options.databases.split(',').includes(name))

async function run(
  candidate: Candidate,
  database: DatabaseName,
  script: Script,
  flags: readonly string[] = [],
): Promise<Figures> {
  const asks = systems[candidate.system]?.asks ?? 'own'
  const file =
    candidate.file === undefined ? {} : { file: candidate.file, args: [candidate.system] }
  const created = performance.now()
  const server = await start({ name: candidate.system, asks, database, script, flags, ...file })
  const started = performance.now()
  try {
    const before = await server.used()
    const atStart = resident(server.pids)
    const next = random(1)
    const kinds = workloads.filter(
      (one) => options.workloads.split(',').includes(one.name) && one[asks] !== undefined,
    )
    const connection = await open(server.port)
    let sent = 0
    let { cpu, at = 0 } = before
    let firstAnswer = 0
    const costs: number[] = []
    const onMainThread: number[] = []
    let main = mainThread(server.pids)
    for (const end of positions) {
      const from = sent
      for (; sent < end; sent++) await send(connection, server, kinds[sent % kinds.length], next)
      firstAnswer ||= performance.now() - created
      const used = await server.used()
      costs.push((used.cpu - cpu) / (end - from))
      cpu = used.cpu
      const thread = mainThread(server.pids)
      onMainThread.push((thread - main) / (end - from))
      main = thread
      at = used.at ?? 0
    }
    connection.close()
    return {
      start: started - created,
      startCpu: before.cpu / 1000,
      firstAnswer,
      costs,
      onMainThread,
      memory: [atStart, resident(server.pids)],
      between: [before.at ?? 0, at],
    }
  } finally {
    await server.stop()
  }
}

/** Returns the microseconds of CPU that the main threads of processes have used (Linux). */
function mainThread(pids: readonly number[]): number {
  const nanoseconds = pids.map((pid) =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000
}

/** Returns the resident memory of processes in MiB (Linux). */
function resident(pids: readonly number[]): number {
  const kibibytes = pids.map((pid) => {
    const [, size = '0'] =
      /VmRSS:\s*([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(size)
  })
  return kibibytes.reduce((sum, one) => sum + one, 0) / 1024
}

async function send(
  connection: Connection,
  server: Server,
  kind: (typeof workloads)[number] | undefined,
  next: Next,
): Promise<void> {
  const form = kind?.[server.asks]
  if (form === undefined) throw new Error('no kind of request')
  const { status, body } = await connection.send(asked(server, form, next))
  if (status >= 300) throw new Error(`${server.name}: ${status} ${body.toString().slice(0, 300)}`)
}

const figuresOf = (one: Figures): number[] => [
  one.start,
  one.startCpu,
  one.firstAnswer,
  ...one.costs,
  ...one.onMainThread,
  ...one.memory,
]

async function main(): Promise<void> {
  for (const database of chosenDatabases()) {
    const script = await openScript(database)
    await fill(database, script, false)
    const able = candidatesOn(database)
    const found = new Map<string, number[][]>(able.map(({ name }) => [name, []]))
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const candidate of able) {
        found.get(candidate.name)?.push(figuresOf(await run(candidate, database, script)))
      }
      await script.run(`delete from reviews where id > ${sizes.reviews}`)
    }
    await script.end()
    console.log(`\n### ${database}, Node ${process.version}, ${options.rounds} processes each\n`)
    console.log(`| | ${able.map(({ name }) => name).join(' | ')} |`)
    console.log(`|---|${able.map(() => '---:').join('|')}|`)
    for (const [i, row] of rows.entries()) {
      const cells = able.map(({ name }) =>
        fixed(median((found.get(name) ?? []).map((one) => one[i] ?? Number.NaN))),
      )
      console.log(`| ${row} | ${cells.join(' | ')} |`)
    }
  }
}

/** Profiles the requests of one new process of each system. */
async function profile(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const database of chosenDatabases()) {
    const script = await openScript(database)
    await fill(database, script, false)
    for (const candidate of candidatesOn(database)) {
      const name = `${database}-${candidate.name}-lukewarm.cpuprofile`
      const { between } = await run(candidate, database, script, profileFlags(folder, name))
      const busy = busyBetween(join(folder, name), ...between)
      console.log(
        `\n## ${database} ${candidate.name}, the first ${options.most} requests; ${name}\n`,
      )
      console.log(busyTables(busy, Number(options.most)))
    }
    await script.run(`delete from reviews where id > ${sizes.reviews}`)
    await script.end()
  }
}

if (options.help) console.log(help)
else if (options.profile === undefined) await main()
else await profile(options.profile)
