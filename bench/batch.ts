/**
 * What a batch costs beside its statements by hand: `pnpm bench:batch [--operations 100] [--rounds 15] [--databases postgres,sqlite] [--profile file]`.
 *
 * A quarter of the operations each creates a task, changes one, reads one, and removes one. By hand,
 * one parses the same body, checks every field, sends the statements that the batch sends, as prepared statements in one
 * transaction, and makes the text of the same answer. Both take turns in one process, on one connection; the CPU is that of this process.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'
import * as core from '@model-api/core'
import { createApi, stringify } from '@model-api/core'
import { preparedPg, preparedSqlite } from '@model-api/core/prepared'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { createTasks, modelsOf } from './bulk-models.ts'
import { type DatabaseName, locationOf } from './databases.ts'

const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '15' },
    databases: { type: 'string', default: 'postgres,sqlite' },
    profile: { type: 'string' },
  },
})
const quarter = Number(options.operations) / 4
const rounds = Number(options.rounds)
const requestsPerTurn = 20
const warmUp = 20

interface Operation {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly body?: Readonly<Record<string, unknown>>
}

const task = (number: number) => ({
  project_id: 1 + (number % 10),
  number,
  title: `Task number ${number}`,
  details: 'What is to be done',
  state: 'open',
  points: number % 5,
  due: '2026-03-01',
})

/** The text of a batch; stored are the tasks 1 to 3 × quarter. */
function bodyOf(): string {
  const operations: Operation[] = []
  for (let i = 1; i <= quarter; i++) {
    const number = 100_000 + i
    operations.push({ id: `c${i}`, method: 'POST', url: '/api/tasks', body: task(number) })
    operations.push({
      id: `u${i}`,
      method: 'PATCH',
      url: `/api/tasks/${i}`,
      body: { title: `Changed ${i}`, points: i % 7 },
    })
    operations.push({ id: `g${i}`, method: 'GET', url: `/api/tasks/${quarter + i}` })
    operations.push({ id: `d${i}`, method: 'DELETE', url: `/api/tasks/${2 * quarter + i}` })
  }
  return JSON.stringify({ operations })
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

for (const name of options.databases.split(',') as DatabaseName[]) await measure(name)

async function measure(name: DatabaseName): Promise<void> {
  let statements: string[] = []
  const db = new Kysely<never>({
    dialect:
      name === 'sqlite'
        ? new SqliteDialect({ database: preparedSqlite(new Sqlite(':memory:')) })
        : new PostgresDialect({
            pool: preparedPg(new pg.Pool({ connectionString: locationOf(name), max: 1 })),
          }),
    log: ({ query }) => void statements.push(query.sql),
  })
  const run = async (text: string, parameters: readonly unknown[] = []) =>
    (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...parameters]))).rows
  for (const text of createTasks(name)) await run(text)
  // Beyond the keys that are stored by themselves.
  if (name === 'postgres') await run('alter table tasks alter column id restart with 1000000')
  const config = { API_ALLOW_BATCH: true, API_ADD_RELATIONS: false } as const
  const models = modelsOf(core).map((model) => ({ ...model, meta: {} }))
  const api = createApi({ db, models, config, onWarning: () => {} })
  await api.ready
  const body = bodyOf()
  const byBatch = async (): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await api.answer({ method: 'POST', url: '/api/batch', headers, body })
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.text ?? ''
  }
  const prepare = async (): Promise<void> => {
    await run('delete from tasks')
    const numbers = Array.from({ length: 3 * quarter }, (_, i) => i + 1)
    const values = numbers
      .map((n) => `(${n}, ${1 + (n % 10)}, ${n}, 'Task ${n}', null, 'done', 1, null)`)
      .join(', ')
    await run(
      `insert into tasks (id, project_id, number, title, details, state, points, due) values ${values}`,
    )
    statements = []
  }
  await prepare()
  await byBatch()
  const texts = new Map<string, number>()
  for (const text of statements) texts.set(text, (texts.get(text) ?? 0) + 1)
  console.log(`\n${name}: statements of a batch`)
  for (const [text, count] of texts) console.log(`  ${count} × ${text}`)
  const byHand = handWritten(name, db)
  const ways = { 'model-api': byBatch, 'by hand': () => byHand(body) }
  const costs = new Map<string, { cpu: number; statements: number }[]>(
    Object.keys(ways).map((way) => [way, []]),
  )
  for (let round = -warmUp; round < rounds; round++) {
    for (const [way, send] of Object.entries(ways)) {
      let cpu = 0
      let count = 0
      for (let request = 0; request < requestsPerTurn; request++) {
        await prepare()
        const before = process.cpuUsage()
        const answer = await send()
        const { user, system } = process.cpuUsage(before)
        cpu += (user + system) / 1000
        count += statements.length
        const { value } = JSON.parse(answer) as { value: readonly { status: number }[] }
        if (value.length !== 4 * quarter) throw new Error(`${way}: ${answer.slice(0, 200)}`)
      }
      const cost = { cpu: cpu / requestsPerTurn, statements: count / requestsPerTurn }
      if (round >= 0) costs.get(way)?.push(cost)
    }
  }
  const told = (way: string, what: 'cpu' | 'statements'): number =>
    median((costs.get(way) ?? []).map((cost) => cost[what]))
  console.log(`${name}: ${4 * quarter} operations, median of ${rounds} turns; ratios to 'by hand'`)
  for (const what of ['cpu', 'statements'] as const) {
    const base = told('by hand', what)
    const shown = Object.keys(ways).map(
      (way) => `${way} ${told(way, what).toFixed(2)} (${(told(way, what) / base).toFixed(2)})`,
    )
    console.log(`  ${what.padEnd(11)} ${shown.join('  ')}`)
  }
  if (options.profile !== undefined) {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    for (let request = 0; request < 100; request++) {
      await prepare()
      await byBatch()
    }
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(`${options.profile}.${name}.cpuprofile`, JSON.stringify(profile))
  }
  await db.destroy()
}

/** What one writes by hand for these four questions, in one transaction. */
function handWritten(name: DatabaseName, db: Kysely<never>): (body: string) => Promise<string> {
  const isPostgres = name === 'postgres'
  const place = (i: number): string => (isPostgres ? `$${i}` : '?')
  const due = isPostgres ? 'due::text as due' : 'due'
  const columns = `id, project_id, number, title, details, state, points, ${due}`
  const fields = ['project_id', 'number', 'title', 'details', 'state', 'points', 'due'] as const
  const isWhole = (value: unknown): boolean =>
    Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
  const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
    project_id: isWhole,
    number: isWhole,
    title: (value) => isText(value) && (value as string).length <= 120,
    details: (value) => value === null || isText(value),
    state: (value) => ['open', 'doing', 'done'].includes(value as string),
    points: (value) => value === null || isWhole(value),
    due: (value) => value === null || /^\d{4}-\d{2}-\d{2}$/.test(String(value)),
  }
  const insert = `insert into tasks (${fields.join(', ')}) values (${fields.map((_, i) => place(i + 1)).join(', ')}) returning ${columns}`
  return async (text) => {
    const { operations } = JSON.parse(text) as { readonly operations: readonly Operation[] }
    const results = await db.transaction().execute(async (transaction) => {
      const run = async (statement: string, parameters: readonly unknown[]) =>
        (
          await transaction.executeQuery<Record<string, unknown>>(
            CompiledQuery.raw(statement, [...parameters]),
          )
        ).rows
      const done: unknown[] = []
      for (const { id, method, url, body = {} } of operations) {
        const [, collection, key] = /^\/api\/(\w+)(?:\/(\d+))?$/.exec(url) ?? []
        if (collection !== 'tasks') throw new Error('404')
        for (const field of Object.keys(body)) {
          if (checks[field]?.(body[field]) !== true) throw new Error(`422 ${field}`)
        }
        const number = Number(key)
        if (method === 'POST') {
          const [row] = await run(
            insert,
            fields.map((field) => body[field] ?? null),
          )
          const headers = { location: `/api/tasks/${row?.id}` }
          done.push({ id, status: 201, headers, value: row })
        } else if (method === 'PATCH') {
          const names = Object.keys(body)
          const set = names.map((field, i) => `${field} = ${place(i + 1)}`)
          const [row] = await run(
            `update tasks set ${set.join(', ')} where id = ${place(names.length + 1)} returning ${columns}`,
            [...names.map((field) => body[field]), number],
          )
          if (row === undefined) throw new Error('404')
          done.push({ id, status: 200, headers: {}, value: row })
        } else if (method === 'GET') {
          const [row] = await run(`select ${columns} from tasks where id = ${place(1)}`, [number])
          if (row === undefined) throw new Error('404')
          done.push({ id, status: 200, headers: {}, value: row })
        } else {
          const gone = await run(`delete from tasks where id = ${place(1)} returning id`, [number])
          if (gone.length === 0) throw new Error('404')
          done.push({ id, status: 204, headers: {}, value: null })
        }
      }
      return done
    })
    return stringify({ status_code: 200, total_count: results.length, value: results } as never)
  }
}
