/**
 * What QUERY costs beside GET: `pnpm bench:query [--rounds 101] [--requests 200] [--databases postgres,mysql,sqlite] [--profile file]`.
 *
 * Three lists, each asked by both methods in turns, with other values each time, in one process and on one connection; which
 * method begins alternates. The CPU is that of this process.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'
import * as core from '@model-api/core'
import { type ApiRequest, createApi } from '@model-api/core'
import { preparedMysql, preparedPg, preparedSqlite } from '@model-api/core/prepared'
import Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type Dialect,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createTasks, modelsOf } from './bulk-models.ts'
import {
  type DatabaseName,
  databaseNames,
  dropDatabase,
  locationOf,
  openScript,
} from './databases.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '101' },
    requests: { type: 'string', default: '200' },
    databases: { type: 'string', default: databaseNames.join(',') },
    profile: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const requests = Number(options.requests)
const warmUp = 20

/** A database of its own, which other runs do not touch. */
const database = 'model_api_query'

const lists: Readonly<Record<string, (n: number) => string>> = {
  'one row': (n) => `id__eq=${1 + (n % 1000)}&limit=1`,
  '20 rows': (n) => `points__ge=${n % 4}&title__ilike=task&order_by=-number&limit=20`,
  'a long filter': (n) =>
    `or[${Array.from({ length: 40 }, (_, i) => `number__eq=${(n + i) % 1000}`).join(',')}]&limit=20`,
}

const methods: Readonly<Record<'GET' | 'QUERY', (query: string) => ApiRequest>> = {
  GET: (query) => ({
    method: 'GET',
    url: `/api/tasks?${query}`,
    headers: { accept: 'application/json' },
  }),
  QUERY: (query) => ({
    method: 'QUERY',
    url: '/api/tasks',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: query,
  }),
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

for (const name of options.databases.split(',') as DatabaseName[]) await measure(name)

function dialectOf(name: DatabaseName): Dialect {
  switch (name) {
    case 'sqlite':
      return new SqliteDialect({ database: preparedSqlite(new Sqlite(':memory:')) })
    case 'postgres':
      return new PostgresDialect({
        pool: preparedPg(new pg.Pool({ connectionString: locationOf(name, database), max: 1 })),
      })
    case 'mysql':
      return new MysqlDialect({
        pool: preparedMysql(createPool({ uri: locationOf(name, database), connectionLimit: 1 })),
      })
  }
}

async function measure(name: DatabaseName): Promise<void> {
  if (name !== 'sqlite') await (await openScript(name, database)).end()
  const db = new Kysely<never>({ dialect: dialectOf(name) })
  const run = (text: string) => db.executeQuery(CompiledQuery.raw(text))
  for (const text of createTasks(name)) await run(text)
  const values = Array.from(
    { length: 1000 },
    (_, i) => `(${i + 1}, ${1 + (i % 10)}, ${i}, 'Task ${i}', null, 'done', ${i % 5}, null)`,
  )
  await run(
    `insert into tasks (id, project_id, number, title, details, state, points, due) values ${values.join(', ')}`,
  )
  const models = modelsOf(core).map((model) => ({ ...model, meta: {} }))
  const api = createApi({ db, models, config: { API_ADD_RELATIONS: false }, onWarning: () => {} })
  await api.ready
  const send = async (method: 'GET' | 'QUERY', query: string): Promise<string> => {
    const { status, text } = await api.answer(methods[method](query))
    if (status !== 200) throw new Error(text)
    return text ?? ''
  }
  for (const [list, queryOf] of Object.entries(lists)) {
    const [byGet, byQuery] = [await send('GET', queryOf(7)), await send('QUERY', queryOf(7))]
    const rows = (text: string): string => JSON.stringify(JSON.parse(text).value)
    if (rows(byGet) !== rows(byQuery)) throw new Error(`${list}: other rows`)
    const costs = { GET: [] as number[], QUERY: [] as number[] }
    const ratios: number[] = []
    for (let round = -warmUp; round < rounds; round++) {
      const turn = { GET: 0, QUERY: 0 }
      for (const method of round % 2 === 0
        ? (['GET', 'QUERY'] as const)
        : (['QUERY', 'GET'] as const)) {
        const before = process.cpuUsage()
        for (let request = 0; request < requests; request++) await send(method, queryOf(request))
        const { user, system } = process.cpuUsage(before)
        turn[method] = (user + system) / requests
      }
      if (round < 0) continue
      costs.GET.push(turn.GET)
      costs.QUERY.push(turn.QUERY)
      ratios.push(turn.QUERY / turn.GET)
    }
    const more = (100 * (median(ratios) - 1)).toFixed(1)
    console.log(
      `${name.padEnd(9)} ${list.padEnd(14)} GET ${median(costs.GET).toFixed(1)} µs  QUERY ${median(costs.QUERY).toFixed(1)} µs  ${more} % more`,
    )
  }
  if (options.profile !== undefined) await profile(name, `${options.profile}.${name}`, send)
  await api.close()
  await db.destroy()
  if (name !== 'sqlite') await dropDatabase(name, database)
}

/** A profile of each method. */
async function profile(
  name: DatabaseName,
  file: string,
  send: (method: 'GET' | 'QUERY', query: string) => Promise<string>,
): Promise<void> {
  const queryOf = lists['one row'] ?? (() => '')
  for (const method of ['GET', 'QUERY'] as const) {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 100 })
    await session.post('Profiler.start')
    for (let request = 0; request < 20_000; request++) await send(method, queryOf(request))
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(`${file}.${method}.cpuprofile`, JSON.stringify(profile))
  }
  console.log(`${name}: profiles in ${file}.*.cpuprofile`)
}
