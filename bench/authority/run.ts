/** Measures the cost of users, policies and callbacks: the same requests to APIs with and without them, in one process, in turns. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { busyBetween, record } from '../cpu-profile.ts'
import { fill } from '../data.ts'
import { type DatabaseName, databaseNames, openScript, poolSize } from '../databases.ts'
import { random } from '../random.ts'
import { fixed, median } from '../report.ts'
import { openKysely } from '../systems/kysely.ts'
import { type DatabaseCpu, databaseCpu } from '../threads.ts'
import { createUsers, users } from '../users.ts'
import type { Ask } from '../workloads.ts'
import { geometric, glanceTable, type Means, type Multiples, picture } from './glance.ts'
import { open, type Variant } from './variants.ts'
import { type Question, questions } from './workloads.ts'

const { values: options } = parseArgs({
  options: {
    databases: { type: 'string', default: databaseNames.join() },
    workloads: { type: 'string', default: 'W1,W2n,W3,W4,W5,W9,W10,W13' },
    variants: {
      type: 'string',
      default:
        'plain,look-up,policy,scope,jwt,jwt and policy,jwt and scope,filter,dump,return,begin-commit,transaction',
    },
    requests: { type: 'string', default: '150' },
    rounds: { type: 'string', default: '15' },
    warm: { type: 'string', default: '800' },
    // The number of concurrent requests.
    connections: { type: 'string', default: '16' },
    // Kysely's own drivers instead of those with prepared statements.
    unprepared: { type: 'boolean', default: false },
    // A folder for one CPU profile of each variant and workload.
    profile: { type: 'string' },
    // A file for the picture.
    picture: { type: 'string' },
  },
})

const concurrency = Number(options.connections)

/** Sends `count` requests. */
async function run(
  { api, headers }: Variant,
  { api: form }: Question,
  count: number,
  seed: number,
) {
  const next = random(seed)
  let left = count
  const worker = async () => {
    while (left-- > 0) await send(api, form(next), headers[next(users)] ?? {})
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** Returns the microseconds of CPU of a request, in this process and in the threads of the database. */
async function costOf(cpu: DatabaseCpu, count: number, work: () => Promise<void>): Promise<Cost> {
  const [database, before] = [await cpu(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  const databaseAfter = await cpu()
  return {
    server: (user + system) / count,
    ...(database === undefined || databaseAfter === undefined
      ? {}
      : { database: (databaseAfter - database) / count }),
  }
}

async function send(
  api: Variant['api'],
  { method, url, body }: Ask,
  headers: Readonly<Record<string, string>>,
) {
  const sent = body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
  const answer = await api.answer({ method, url, headers: sent, body } as never)
  if (answer.status >= 300) throw new Error(`${url}: ${answer.status}`)
}

/** Writes a CPU profile, and prints the busiest functions and folders. */
async function profile(title: string, folder: string, work: () => Promise<void>, requests: number) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${title.replaceAll(' ', '-')}.cpuprofile`)
  await record(file, work, 200)
  const { all, functions, folders } = busyBetween(file, 0, Number.POSITIVE_INFINITY)
  console.log(`\n## ${title}: ${fixed(all / requests)} µs of a request`)
  for (const { name, microseconds } of [...functions.slice(0, 40), ...folders.slice(0, 25)]) {
    console.log(`${fixed(microseconds / requests, 1)} ${name}`)
  }
}

async function measure(name: DatabaseName): Promise<Multiples> {
  const script = await openScript(name)
  await fill(name, script, false)
  await createUsers(script)
  const cpu = databaseCpu(name, script, process.pid)
  const db = openKysely(name, !options.unprepared)
  const names = options.variants.split(',')
  const variants = await Promise.all(names.map((one) => open(db, one)))
  const chosen = questions.filter((one) => options.workloads.split(',').includes(one.name))
  const costs = names.map(() => chosen.map((): Cost[] => []))
  const requests = Number(options.requests)
  for (const [w, workload] of chosen.entries()) {
    for (const variant of variants) await run(variant, workload, Number(options.warm), 1)
    if (options.profile !== undefined) {
      for (const [v, variant] of variants.entries()) {
        const count = requests * Number(options.rounds)
        const title = `${name} ${names[v]} ${workload.name}`
        const work = () => run(variant, workload, count, 2)
        await profile(title, options.profile, work, count)
      }
      continue
    }
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [v, variant] of variants.entries()) {
        const work = () => run(variant, workload, requests, 2 + round)
        costs[v]?.[w]?.push(await costOf(cpu, requests, work))
      }
    }
  }
  await db.destroy()
  await script.end()
  const isFigured = (of: Of): boolean => costs[0]?.[0]?.[0]?.[of] !== undefined
  const figured = ofs.filter(isFigured)
  if (options.profile === undefined) {
    for (const of of figured) print(name, of, names, chosen, costs)
  }
  const means = (v: number, of: Of): Means => {
    const mean = (writes: boolean): number =>
      geometric(
        chosen.flatMap((question, w) =>
          (question.writes ?? false) === writes ? [multiple(costs, v, w, of)] : [],
        ),
      )
    return { reads: mean(false), writes: mean(true) }
  }
  const variantsMeans = names.map((variant, v) => ({
    name: variant,
    server: means(v, 'server'),
    ...(isFigured('database') ? { database: means(v, 'database') } : {}),
  }))
  return { database: name, variants: variantsMeans }
}

interface Cost {
  readonly server: number
  /** Absent for SQLite, which runs in the process. */
  readonly database?: number
}

type Of = keyof Cost
const ofs: readonly Of[] = ['server', 'database']

type Costs = readonly (readonly (readonly Cost[])[])[]

/**
 * Returns the cost of a variant under a workload, as a multiple of the first variant. Divides the two costs of each round, because
 * other load of the machine changes from round to round.
 */
const multiple = (costs: Costs, variant: number, workload: number, of: Of): number => {
  const first = costs[0]?.[workload] ?? []
  const own = costs[variant]?.[workload] ?? []
  return median(own.map((cost, round) => (cost[of] ?? Number.NaN) / (first[round]?.[of] ?? 0)))
}

function print(
  name: DatabaseName,
  of: Of,
  names: readonly string[],
  chosen: readonly Question[],
  costs: Costs,
): void {
  console.log(`\n## ${name}: ${of} CPU of a request in µs, and as a multiple of ${names[0]}\n`)
  console.log(`| | ${chosen.map((one) => one.name).join(' | ')} | mean |`)
  console.log(`|---|${'---:|'.repeat(chosen.length + 1)}`)
  for (const [v, variant] of names.entries()) {
    const cells = chosen.map((_, w) => median((costs[v]?.[w] ?? []).map((one) => one[of] ?? 0)))
    const ratios = chosen.map((_, w) => multiple(costs, v, w, of))
    const shown = cells.map((cell, w) => `${fixed(cell)} (${fixed(ratios[w], 2)})`)
    console.log(`| ${variant} | ${shown.join(' | ')} | ${fixed(geometric(ratios), 2)} |`)
  }
}

console.log(
  `${options.requests} requests × ${options.rounds} rounds, ${concurrency} at once, a pool of ${poolSize}, ${users} users`,
)
const all: Multiples[] = []
for (const name of databaseNames)
  if (options.databases.split(',').includes(name)) all.push(await measure(name))
if (options.profile === undefined) {
  for (const of of ofs) console.log(`\n## At a glance: ${of} CPU\n\n${glanceTable(all, of)}`)
}
if (options.picture !== undefined) writeFileSync(options.picture, picture(all))
