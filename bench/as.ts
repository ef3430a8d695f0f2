/**
 * Compares `api.as(user)` with the same Kysely queries, whose policy is written by hand: `pnpm bench:as [--rounds 15] [--databases
 * postgres,mysql,sqlite] [--profile file]`.
 *
 * Both take turns in one process, on one connection, with prepared statements, and return the same records. The time is that of the
 * caller, the database included.
 */
import { parseArgs } from 'node:util'
import { createApi, defineModel } from '@model-api/core'
import type { Kysely } from 'kysely'
import { record } from './cpu-profile.ts'
import type { DatabaseName } from './databases.ts'
import { commonOptions, openOwn, takeTurns } from './in-process.ts'
import { median } from './report.ts'

const { values: options } = parseArgs({ options: commonOptions('15') })
const rounds = { warmUp: 10, rounds: Number(options.rounds) }
const callsPerTurn = 300

const user = { id: 7 }

const Task = defineModel('Task', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    owner_id: { type: 'integer' },
    title: { type: 'string', maxLength: 120 },
    state: { type: 'string', maxLength: 10 },
    points: { type: 'integer', nullable: true },
  },
  meta: { access_policy: { scope: { owner_id: { eq: ({ user }) => user.id } } } },
})
type TaskRow = Readonly<Record<keyof (typeof Task)['columns'], unknown>>

const tables = [
  'create table tasks (id integer primary key, owner_id integer not null, title varchar(120) not null, state varchar(10) not null, points integer)',
  'create index tasks_owner on tasks (owner_id)',
]
const tasks = Array.from({ length: 5_000 }, (_, i) => ({
  id: i + 1,
  owner_id: 1 + (i % 10),
  title: `Task number ${i + 1}`,
  state: ['open', 'doing', 'done'][i % 3] as string,
  points: i % 4 === 0 ? null : i % 5,
}))
const columns = ['id', 'owner_id', 'title', 'state', 'points'] as const

for (const name of options.databases.split(',') as DatabaseName[]) await measure(name)

async function measure(name: DatabaseName): Promise<void> {
  const { db: opened, run, close } = await openOwn(name, 'model_api_as')
  const db = opened as unknown as Kysely<{ tasks: TaskRow }>
  for (const text of tables) await run(text)
  for (let i = 0; i < tasks.length; i += 500) {
    await db
      .insertInto('tasks')
      .values(tasks.slice(i, i + 500))
      .execute()
  }
  const api = createApi({ db, models: [Task], onWarning: () => {} })
  await api.ready
  const own = () => db.selectFrom('tasks').select(columns).where('owner_id', '=', user.id)
  const keys = tasks.filter(({ owner_id }) => owner_id === user.id).map(({ id }) => id)
  let at = 0
  const next = (): number => keys[at++ % keys.length] as number
  const work = {
    'one record': {
      kysely: () => own().where('id', '=', next()).executeTakeFirstOrThrow(),
      'api.as': () => api.as(user).tasks.get(next()).unwrap(),
    },
    'a page of 20': {
      kysely: () => own().where('id', '>', next()).orderBy('id').limit(20).execute(),
      'api.as': () =>
        api
          .as(user)
          .tasks.list({ where: { id: { gt: next() } }, orderBy: ['id'], limit: 20, count: 'none' })
          .unwrap(),
    },
    'a page of 100': {
      kysely: () => own().where('state', '=', 'open').orderBy('id').limit(100).execute(),
      'api.as': () =>
        api
          .as(user)
          .tasks.list({ where: { state: 'open' }, orderBy: ['id'], limit: 100, count: 'none' })
          .unwrap(),
    },
  }
  for (const [what, ways] of Object.entries(work)) {
    const names = Object.keys(ways) as (keyof typeof ways)[]
    const results = new Set<string>()
    for (const way of names) {
      at = 0
      results.add(JSON.stringify(await ways[way]()))
    }
    if (results.size !== 1) throw new Error(`${what}: ${[...results].join('\n')}`)
    const costs = await takeTurns(names, rounds, async (way) => {
      const before = performance.now()
      for (let call = 0; call < callsPerTurn; call++) await ways[way]()
      return ((performance.now() - before) * 1000) / callsPerTurn
    })
    const [kysely, as] = [median(costs.kysely), median(costs['api.as'])]
    const ratio = median(costs['api.as'].map((cost, i) => cost / (costs.kysely[i] ?? Number.NaN)))
    console.log(
      `${name}, ${what}: api.as ${as.toFixed(0)} µs, Kysely ${kysely.toFixed(0)} µs, ${ratio.toFixed(2)} ×`,
    )
    if (options.profile !== undefined) {
      await record(`${options.profile}.${name}.${what}.cpuprofile`, async () => {
        for (let call = 0; call < 5_000; call++) await ways['api.as']()
      })
    }
  }
  await close()
}
