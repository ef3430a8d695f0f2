/**
 * MariaDB and MySQL roll back a whole transaction after a deadlock, savepoints included, and a later statement would be stored alone. Code
 * that catches the error, as the library itself does for the clients of hooks, must not go on outside of the transaction.
 */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  ApiError,
  defineModel,
  type HookArgs,
} from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const state = { type: 'string', maxLength: 20 } as const
const Task = defineModel('Task', {
  columns: { id, state, seen: { type: 'integer', default: 0 } },
  meta: {},
})
const Log = defineModel('Log', { columns: { id: { ...id, generated: true }, state }, meta: {} })
const models = [Task, Log] as unknown as AnyModel[]
type Tasks = Api<{ models: [typeof Task, typeof Log] }>

for (const only of ['postgres', 'mysql'] as const) {
  eachDatabase(
    'a deadlock inside a request',
    (test, db) => {
      test.before(() => createTables(db, [Task, Log]))
      test.before.each(async () => {
        for (const { table } of [Task, Log]) await db.kysely.deleteFrom(table as never).execute()
        await insertRows(db, Task, [
          { id: 1, state: 'open', seen: 0 },
          { id: 2, state: 'open', seen: 0 },
        ])
      })

      const errors: unknown[] = []
      const apiWith = (config: ApiConfig): Tasks =>
        testApi(db, models, config, {
          // A conflict is reported, too.
          onError: (error) => {
            if (!(error instanceof ApiError && error.status === 503)) errors.push(error)
          },
        }) as Tasks
      const logs = async (): Promise<string[]> => {
        const found = await apiWith({})
          .as('system')
          .logs.list({ orderBy: ['state'] })
          .unwrap()
        return found.map((one) => one.state)
      }
      /** Resolves for both once both have arrived; later calls do not wait. */
      const meeting = () => {
        let come = 0
        let open = () => {}
        const all = new Promise<void>((resolve) => {
          open = resolve
        })
        return async () => {
          come += 1
          if (come === 2) open()
          await all
        }
      }

      /** Two requests, each of which writes its task, a log, and then, by `second`, the other task. */
      async function crossing(
        second: (args: HookArgs, other: number) => Promise<unknown>,
      ): Promise<void> {
        const meet = meeting()
        const api = apiWith({
          API_BEFORE_COMMIT_CALLBACK: async (changes, args) => {
            const [own] = changes.flatMap(({ before, after }) =>
              before?.state === 'open' && after?.state === 'done' ? [Number(after.id)] : [],
            )
            if (own === undefined) return
            await args.db
              .insertInto('logs')
              .values({ state: `of ${own}` })
              .execute()
            await meet()
            await second(args, 3 - own)
            await args.db
              .insertInto('logs')
              .values({ state: `end of ${own}` })
              .execute()
          },
        })
        const answers = await Promise.all(
          [1, 2].map((key) => send(api, 'PATCH', `/api/tasks/${key}`, { body: { state: 'done' } })),
        )
        equal(errors.splice(0), [])
        const stored = await api
          .as('system')
          .tasks.list({ orderBy: ['id'] })
          .unwrap()
        const done = answers.flatMap(({ status }, i) => (status === 200 ? [i + 1] : []))
        ok(done.length > 0, 'nobody was served')
        equal(
          stored.filter((one) => one.state === 'done').map((one) => one.id),
          done,
        )
        equal(await logs(), [
          ...done.map((one) => `end of ${one}`),
          ...done.map((one) => `of ${one}`),
        ])
        for (const { status, errors: told } of answers) {
          ok(status === 200 || told?.code === 'database_conflict', `${status} ${told?.code}`)
        }
      }

      test('is repeated, or refused, whole, though the hook goes on after a client was refused', () =>
        crossing((args, other) => args.as.system.tasks.update(other, { seen: 1 })))

      test('also if the hook goes on after a statement of its own was refused', async () => {
        // PostgreSQL refuses all further statements of the transaction.
        if (db.name === 'postgres') return
        await crossing((args, other) =>
          args.db
            .updateTable('tasks')
            .set({ seen: 1 })
            .where('id', '=', other)
            .execute()
            .catch(() => {}),
        )
      })

      test('in a transaction of the host refuses all that follows there', async () => {
        const api = apiWith({})
        const meet = meeting()
        const told: unknown[] = []
        await Promise.all(
          [1, 2].map(async (own) => {
            const outer = await db.kysely.startTransaction().execute()
            const client = api.as('system', { db: outer })
            await client.tasks.update(own, { state: 'done' }).unwrap()
            await meet()
            const result = await client.tasks.update(3 - own, { seen: 1 })
            if (!result.ok) {
              told.push([result.status, result.error.code])
              const next = await client.logs.create({ state: `of ${own}` })
              told.push(next.ok ? 201 : [next.status, next.error.code])
              const alone = outer.insertInto('logs').values({ state: 'alone' }).execute()
              told.push(
                await alone.then(
                  () => 'stored',
                  () => 'refused',
                ),
              )
            }
            await (result.ok ? outer.commit() : outer.rollback()).execute()
          }),
        )
        const goesOn = db.name === 'postgres' ? 201 : [503, 'database_conflict']
        equal(told, [
          [503, 'database_conflict'],
          goesOn,
          db.name === 'postgres' ? 'stored' : 'refused',
        ])
        equal([await logs(), errors.splice(0)], [[], []])
      })

      test('a wait for a lock that took too long counts as such an end, as with innodb_rollback_on_timeout', async () => {
        if (db.name === 'postgres') return
        const holder = await db.kysely.startTransaction().execute()
        await holder.updateTable('tasks').set({ seen: 2 }).where('id', '=', 2).execute()
        const outer = await db.kysely.startTransaction().execute()
        await sql`set innodb_lock_wait_timeout = 1`.execute(outer)
        const client = apiWith({}).as('system', { db: outer })
        await client.tasks.update(1, { state: 'done' }).unwrap()
        const waited = await client.tasks.update(2, { seen: 1 })
        const next = await client.logs.create({ state: 'alone' })
        const alone = outer.insertInto('logs').values({ state: 'alone' }).execute()
        const told = await alone.then(
          () => 'stored',
          () => 'refused',
        )
        await outer.rollback().execute()
        await holder.rollback().execute()
        equal(
          [waited, next].map((one) => (one.ok ? one.status : [one.status, one.error.code])),
          [
            [503, 'database_conflict'],
            [503, 'database_conflict'],
          ],
        )
        equal([told, await logs(), errors.splice(0)], ['refused', [], []])
      })
    },
    { only },
  )
}
