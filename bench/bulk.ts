/**
 * What lists of 1,000 records cost beside the same written by hand: `pnpm bench:bulk [--rows 1000] [--rounds 15] [--databases postgres,mysql,sqlite] [--writes create,upsert,change]`.
 * `--beside before=../other-checkout` measures the core of another checkout too.
 *
 * `create` is POST of new records, `upsert` POST with `on_conflict` of which every other record is stored with other values, `change` PATCH of a list
 * with other values for each. Both ways parse the same body, check every field, ask the same policy about each record, look up
 * the projects that the caller sees and the records that are stored, write in a transaction, and make the bytes of the answer.
 * They take turns in one process, with several requests a turn, one after the other; PostgreSQL and MariaDB have a pool of ten connections, as a service has. The CPU is that of this process, with the
 * garbage that a way makes; the time of the database is what its statements took, and its CPU comes from /proc.
 */
import { resolve } from 'node:path'
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
const rounds = { warmUp: 15, rounds: Number(options.rounds) }

const requestsPerTurn = 10

interface Cost {
  cpu: number
  statements: number
  time: number
  databaseCpu: number
}

/** The core of this checkout, and those of others by their labels. */
const cores: Record<string, typeof core> = { 'model-api': core }
for (const text of options.beside) {
  const [label = '', path = ''] = text.split('=')
  cores[label] = await import(pathToFileURL(resolve(path, 'packages/core/src/index.ts')).href)
}

for (const name of options.databases.split(',') as DatabaseName[]) {
  for (const write of options.writes.split(',') as Write[]) await measure(name, write)
}

function dialectOf(name: DatabaseName) {
  if (name === 'sqlite') return new SqliteDialect({ database: new Sqlite(':memory:') })
  if (name === 'postgres') {
    // Without a time limit for idle connections, because the CPU of the database is that of the connections at the start.
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
  /** Stores what the write finds; returns its body. */
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
      // A text that is made of parts is put together when it is sent.
      const bytes = Buffer.from(answer)
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

/** The writes by an API of one core. */
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

/** A task as it was before an upsert, which changes two of its fields. */
function earlier(task: NewTask): NewTask {
  return { ...task, title: 'As it was', points: null }
}

function requireRows(way: string, answer: Buffer): void {
  const { value } = JSON.parse(answer.toString()) as { value: readonly NewTask[] }
  if (value.length !== rows || value[rows - 1]?.number !== rows) {
    throw new Error(`${way}: other rows`)
  }
}
