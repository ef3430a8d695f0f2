/**
 * Compares the cost of a batch with the same work by hand: `pnpm bench:batch [--operations 100] [--rounds 15] [--warm-up 20]
 * [--databases postgres,mysql,sqlite] [--profile file]`.
 *
 * Of the operations, a quarter each creates a task, changes one, reads one, and removes one. `batch-by-hand.ts` does the same in
 * one transaction, once with Kysely's query builder, and once with constant statements, which is the least that it can cost. All
 * three take turns in one process, on one connection, with prepared statements. The CPU is that of this process.
 */
import { parseArgs } from 'node:util'
import * as core from '@model-api/core'
import { createApi } from '@model-api/core'
import { kysely, type Operation, prepared } from './batch-by-hand.ts'
import { createTasks, modelsOf } from './bulk-models.ts'
import { record } from './cpu-profile.ts'
import type { DatabaseName } from './databases.ts'
import { commonOptions, openOwn, takeTurns } from './in-process.ts'
import { median } from './report.ts'

const { values: options } = parseArgs({
  options: {
    ...commonOptions('15'),
    operations: { type: 'string', default: '100' },
    'warm-up': { type: 'string', default: '20' },
  },
})
const quarter = Number(options.operations) / 4
const rounds = { warmUp: Number(options['warm-up']), rounds: Number(options.rounds) }
const requestsPerTurn = 20

const task = (number: number) => ({
  project_id: 1 + (number % 10),
  number,
  title: `Task number ${number}`,
  details: 'What is to be done',
  state: 'open',
  points: number % 5,
  due: '2026-03-01',
})

/** Returns the text of a batch. The tasks 1 to 3 × quarter are stored. */
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

for (const name of options.databases.split(',') as DatabaseName[]) await measure(name)

async function measure(name: DatabaseName): Promise<void> {
  let statements: string[] = []
  const { db, run, close } = await openOwn(name, 'model_api_batch', ({ query }) => {
    statements.push(query.sql)
  })
  for (const text of createTasks(name)) await run(text)
  // `prepare` inserts rows with explicit ids, which do not advance the sequence: it must start above them.
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
  const byKysely = kysely(name, db)
  const byStatements = prepared(name, db)
  const ways = {
    'model-api': byBatch,
    'by hand, Kysely': () => byKysely(body),
    'by hand, statements': () => byStatements(body),
  }
  const names = Object.keys(ways) as (keyof typeof ways)[]
  const costs = await takeTurns(names, rounds, async (way) => {
    let cpu = 0
    let count = 0
    for (let request = 0; request < requestsPerTurn; request++) {
      await prepare()
      const before = process.cpuUsage()
      const answer = await ways[way]()
      const { user, system } = process.cpuUsage(before)
      cpu += (user + system) / 1000
      count += statements.length
      const { value } = JSON.parse(answer) as { value: readonly { status: number }[] }
      if (value.length !== 4 * quarter) throw new Error(`${way}: ${answer.slice(0, 200)}`)
    }
    return { cpu: cpu / requestsPerTurn, statements: count / requestsPerTurn }
  })
  const told = (way: keyof typeof ways, what: 'cpu' | 'statements'): number =>
    median(costs[way].map((cost) => cost[what]))
  console.log(`${name}: ${4 * quarter} operations, median of ${options.rounds} turns`)
  for (const what of ['cpu', 'statements'] as const) {
    const shown = names.map((way) => `${way} ${told(way, what).toFixed(2)}`)
    console.log(`  ${what.padEnd(11)} ${shown.join('  ')}`)
  }
  const ratios = names
    .filter((way) => way !== 'model-api')
    .map((way) => `${(told('model-api', 'cpu') / told(way, 'cpu')).toFixed(2)} × ${way}`)
  console.log(`  CPU: model-api is ${ratios.join(', ')}`)
  if (options.profile !== undefined) {
    await record(`${options.profile}.${name}.cpuprofile`, async () => {
      for (let request = 0; request < 300; request++) {
        await prepare()
        await byBatch()
      }
    })
  }
  await close()
}
