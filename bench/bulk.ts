/**
 * Compares the cost of lists of 1,000 records with the same work by hand: `pnpm bench:bulk [--rows 1000] [--rounds 15] [--databases
 * postgres,mysql,sqlite] [--writes create,upsert,change]`. `--beside before=../other-checkout` also measures the core of another
 * checkout.
 *
 * `create` is a POST of new records. `upsert` is a POST with `on_conflict`, of which every other record is stored with other
 * values. `change` is a PATCH of a list with other values for each record. Both ways parse the same body, check every field, apply
 * the same policy to each record, look up the projects that the caller sees and the stored records, write in a transaction, and
 * produce the bytes of the response.
 *
 * They take turns in one process for each database, with several requests per turn, one after the other. PostgreSQL and MariaDB have a
 * pool of ten connections, as in a service. The CPU is that of this process, including garbage collection. The time of the database is
 * the duration of its statements, and its CPU comes from /proc.
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import * as core from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { type ByHand, handWritten } from './bulk-by-hand.ts'
import { bodyOf, changesOf, config, createTasks, modelsOf, type NewTask } from './bulk-models.ts'
import { type DatabaseName, databaseNames, locationOf, openScript, poolSize } from './databases.ts'
import { takeTurns } from './in-process.ts'
import { median } from './report.ts'
import { cpuOfThreads, databaseThreads } from './threads.ts'

type Write = keyof ByHand

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '15' },
    databases: { type: 'string', default: databaseNames.join(',') },
    writes: { type: 'string', default: 'create,upsert,change' },
    beside: { type: 'string', multiple: true, default: [] },
  },
})

const rows = Number(options.rows)
const rounds = { warmUp: 40, rounds: Number(options.rounds) }

const requestsPerTurn = 10

interface Cost {
  cpu: number
  statements: number
  time: number
  databaseCpu: number
}

/** The core of this checkout, and the cores of other checkouts by their labels. */
const cores: Record<string, typeof core> = { 'model-api': core }
for (const text of options.beside) {
  const [label = '', path = ''] = text.split('=')
  cores[label] = await import(pathToFileURL(resolve(path, 'packages/core/src/index.ts')).href)
}

const [database, ...others] = options.databases.split(',') as [DatabaseName, ...DatabaseName[]]
if (others.length === 0) {
  for (const write of options.writes.split(',') as Write[]) await measure(database, write)
} else {
  // A process of its own for each database, as services have: V8 optimises code for the objects of all dialects that it has met.
  for (const name of [database, ...others]) {
    const given = process.argv.slice(1)
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, ...given, '--databases', name],
      {
        stdio: 'inherit',
      },
    )
    if (status !== 0) process.exit(1)
  }
}

function dialectOf(name: DatabaseName) {
  if (name === 'sqlite') return new SqliteDialect({ database: new Sqlite(':memory:') })
  if (name === 'postgres') {
    // No time limit for idle connections: the CPU of the database is measured on the connections that exist at the start.
    const connectionString = locationOf(name)
    const pool = new pg.Pool({ connectionString, max: poolSize, idleTimeoutMillis: 0 })
    pool.on('error', () => {})
    return new PostgresDialect({ pool })
  }
  return new MysqlDialect({
    pool: mysql.createPool({ uri: locationOf(name), connectionLimit: poolSize }),
  })
}

async function measure(name: DatabaseName, write: Write): Promise<void> {
  const script = await openScript(name)
  let time = 0
  let statements = 0
  const db = new Kysely<never>({
    dialect: dialectOf(name),
    log({ queryDurationMillis }) {
      time += queryDurationMillis
      statements += 1
    },
  })
  for (const text of createTasks(name)) await db.executeQuery(CompiledQuery.raw(text))
  const hand = handWritten(name, db)
  const ways: Record<string, ByHand> = {}
  for (const [label, one] of Object.entries(cores)) ways[label] = await byApi(one, db)
  ways['by hand'] = hand
  const threads = await databaseThreads(name, script, process.pid)
  const cpuOfDatabase = (): number => (cpuOfThreads(threads) ?? 0) / 1000
  /** Stores the records that the write will find. Returns the body of the write. */
  const prepared = async (): Promise<string> => {
    await db.executeQuery(CompiledQuery.raw('delete from tasks'))
    const body = bodyOf(rows)
    if (write === 'create') return body
    const all = JSON.parse(body) as readonly NewTask[]
    const stored = write === 'upsert' ? all.filter((_, i) => i % 2 === 0).map(earlier) : all
    const { value } = JSON.parse(await hand.create(JSON.stringify(stored)))
    return write === 'upsert' ? body : changesOf(value)
  }
  const costs = await takeTurns(Object.keys(ways), rounds, async (way): Promise<Cost> => {
    const sum: Cost = { cpu: 0, statements: 0, time: 0, databaseCpu: 0 }
    for (let request = 0; request < requestsPerTurn; request++) {
      const body = await prepared()
      const before = { time, statements, database: cpuOfDatabase(), cpu: process.cpuUsage() }
      const answer = await (ways[way] as ByHand)[write](body)
      // V8 joins the parts of a concatenated string only when it is sent, so the bytes are made inside the measured time.
      const bytes = Buffer.from(answer)
      // A server handles each request in a task of its own. V8 collects garbage in tasks too, which otherwise wait until the other way
      // lets one run.
      await setImmediate()
      const { user, system } = process.cpuUsage(before.cpu)
      sum.cpu += (user + system) / 1000
      sum.time += time - before.time
      sum.statements += statements - before.statements
      sum.databaseCpu += cpuOfDatabase() - before.database
      requireRows(way, bytes)
    }
    return {
      cpu: sum.cpu / requestsPerTurn,
      statements: sum.statements / requestsPerTurn,
      time: sum.time / requestsPerTurn,
      databaseCpu: sum.databaseCpu / requestsPerTurn,
    }
  })
  const told = (way: string, what: keyof Cost): number =>
    median((costs[way] ?? []).map((cost) => cost[what]))
  console.log(
    `\n${name}, ${write} ${rows} records, median of ${options.rounds} turns of ${requestsPerTurn}; ratios to 'by hand'`,
  )
  for (const what of ['cpu', 'time', 'databaseCpu', 'statements'] as const) {
    const base = told('by hand', what)
    const shown = Object.keys(ways).map((way) => {
      const own = told(way, what)
      return `${way} ${own.toFixed(2)} (${(own / base).toFixed(2)})`
    })
    console.log(`  ${what.padEnd(12)} ${shown.join('  ')}`)
  }
  await db.destroy()
  await script.end()
}

/** Returns the writes through an API of one core. */
async function byApi({ createApi, ...one }: typeof core, db: Kysely<never>): Promise<ByHand> {
  const api = createApi({ db, models: modelsOf(one), config, onWarning: () => {} })
  await api.ready
  const send = async (method: string, url: string, body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const response = await api.answer({ method, url, headers, body })
    if (response.status >= 300) throw new Error(String(response.text).slice(0, 300))
    return response.text ?? ''
  }
  return {
    create: (body) => send('POST', '/api/tasks', body),
    upsert: (body) => send('POST', '/api/tasks?on_conflict=number', body),
    change: (body) => send('PATCH', '/api/tasks', body),
  }
}

/** Returns the stored version of a task, in which two fields differ from the upsert. */
function earlier(task: NewTask): NewTask {
  return { ...task, title: 'As it was', points: null }
}

function requireRows(way: string, answer: Buffer): void {
  const { value } = JSON.parse(answer.toString()) as { value: readonly NewTask[] }
  if (value.length !== rows || value[rows - 1]?.number !== rows) {
    throw new Error(`${way}: other rows`)
  }
}
