/**
 * Compares the cost of QUERY with that of GET: `pnpm bench:query [--rounds 101] [--requests 200] [--databases
 * postgres,mysql,sqlite] [--profile file]`.
 *
 * Requests three lists by both methods in turns, each time with other values, in one process and on one connection; the first
 * method alternates. The CPU is that of this process.
 */
import { parseArgs } from 'node:util'
import * as core from '@model-api/core'
import { type ApiRequest, createApi } from '@model-api/core'
import { createTasks, modelsOf } from './bulk-models.ts'
import { record } from './cpu-profile.ts'
import type { DatabaseName } from './databases.ts'
import { commonOptions, openOwn, takeTurns } from './in-process.ts'
import { median } from './report.ts'

const { values: options } = parseArgs({
  options: {
    ...commonOptions('101'),
    requests: { type: 'string', default: '200' },
  },
})
const rounds = { warmUp: 20, rounds: Number(options.rounds) }
const requests = Number(options.requests)

const lists: Readonly<Record<string, (n: number) => string>> = {
  'one row': (n) => `id__eq=${1 + (n % 1000)}&limit=1`,
  '20 rows': (n) => `points__ge=${n % 4}&title__ilike=task&order_by=-number&limit=20`,
  'a long filter': (n) =>
    `or[${Array.from({ length: 40 }, (_, i) => `number__eq=${(n + i) % 1000}`).join(',')}]&limit=20`,
}

type Method = 'GET' | 'QUERY'

const methods: Readonly<Record<Method, (query: string) => ApiRequest>> = {
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

for (const name of options.databases.split(',') as DatabaseName[]) await measure(name)

async function measure(name: DatabaseName): Promise<void> {
  const { db, run, close } = await openOwn(name, 'model_api_query')
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
  const send = async (method: Method, query: string): Promise<string> => {
    const { status, text } = await api.answer(methods[method](query))
    if (status !== 200) throw new Error(text)
    return text ?? ''
  }
  for (const [list, queryOf] of Object.entries(lists)) {
    const [byGet, byQuery] = [await send('GET', queryOf(7)), await send('QUERY', queryOf(7))]
    const rows = (text: string): string => JSON.stringify(JSON.parse(text).value)
    if (rows(byGet) !== rows(byQuery)) throw new Error(`${list}: other rows`)
    const costs = await takeTurns(['GET', 'QUERY'], rounds, async (method) => {
      const before = process.cpuUsage()
      for (let request = 0; request < requests; request++) await send(method, queryOf(request))
      const { user, system } = process.cpuUsage(before)
      return (user + system) / requests
    })
    const ratios = costs.QUERY.map((cost, round) => cost / (costs.GET[round] ?? Number.NaN))
    const more = (100 * (median(ratios) - 1)).toFixed(1)
    console.log(
      `${name.padEnd(9)} ${list.padEnd(14)} GET ${median(costs.GET).toFixed(1)} µs  QUERY ${median(costs.QUERY).toFixed(1)} µs  ${more} % more`,
    )
  }
  if (options.profile !== undefined) await profile(name, `${options.profile}.${name}`, send)
  await api.close()
  await close()
}

/** Writes a CPU profile of each method. */
async function profile(
  name: DatabaseName,
  file: string,
  send: (method: Method, query: string) => Promise<string>,
): Promise<void> {
  const queryOf = lists['one row'] ?? (() => '')
  for (const method of ['GET', 'QUERY'] as const) {
    await record(`${file}.${method}.cpuprofile`, async () => {
      for (let request = 0; request < 20_000; request++) await send(method, queryOf(request))
    })
  }
  console.log(`${name}: profiles in ${file}.*.cpuprofile`)
}
