/**
 * A hook inside a transaction that uses another instance than args.db: on SQLite it gets an error at once; on other databases
 * the wait is limited.
 */
import { type AnyModel, type Api, type ApiConfig, defineModel } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { CamelCasePlugin, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { databaseOfKind, everyDatabase, type TestDatabase } from '../support/databases.ts'
import { way } from '../support/path.ts'
import { notRun, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string', maxLength: 40 },
} as const

const Note = defineModel('Note', { columns, meta: {} })

const [sqlite] = everyDatabase() as [TestDatabase]
const postgres = databaseOfKind('postgres')

// biome-ignore lint/suspicious/noExplicitAny: any tables
type Instance = Kysely<any>

const later = (ms = 2) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const rows = (db: Instance) => db.selectFrom('notes').select('id').execute()

suite('a hook that uses another instance inside a transaction [sqlite]', (test) => {
  const db = sqlite.kysely
  test.before(async () => {
    await createTables(sqlite, [Note])
    await insertRows(sqlite, Note, [{ title: 'first' }])
  })
  test.after(() => sqlite.close())

  const reported: unknown[] = []
  const options = { onError: (error: unknown) => void reported.push(error) }
  const create = async (config: ApiConfig, models: readonly AnyModel[] = [Note]) => {
    reported.length = 0
    const api = testApi(sqlite, models, config, options)
    return send(api, 'POST', '/api/notes', { body: { title: 'new' } })
  }
  const add = (use: () => Promise<unknown> | undefined): ApiConfig => ({
    API_ADD_CALLBACK: async (object) => {
      await use()
      return object
    },
  })

  const uses: Readonly<Record<string, () => Promise<unknown>>> = {
    'the instance of createApi': () => rows(db),
    'after it has waited for something else': async () => {
      await later()
      await later()
      return rows(db)
    },
    'a transaction of it': () => db.transaction().execute((own) => rows(own)),
    'a connection of it': () => db.connection().execute((own) => rows(own)),
    'an instance made of it': () => rows(db.withPlugin(new CamelCasePlugin())),
    'one without plugins': () => rows(db.withoutPlugins().withSchema('main')),
    'and swallows the error': () => rows(db).catch(() => later(60_000)),
  }
  for (const [name, use] of Object.entries(uses)) {
    test(`${name}: 500 at once, and the log says what to use`, async () => {
      const before = await rows(db)
      const { status, errors } = await create(add(use))
      equal([status, errors.reason], [500, 'Request test'])
      match(String(reported[0]), /The add callback of Note .*args\.db/)
      equal(await rows(db), before)
    })
  }

  test('every hook of a write', async () => {
    const use = async () => {
      await later()
      await rows(db)
      return true as never
    }
    const narrow = async (query: unknown) => (await use()) && (query as never)
    const withColumn = (option: object) =>
      [
        defineModel('Note', {
          columns: { ...columns, title: { ...columns.title, ...option } },
          meta: {},
        }),
      ] as never
    const withPolicy = (policy: object) =>
      [defineModel('Note', { columns, meta: { access_policy: policy } })] as never
    const cases: readonly (readonly [name: string, config: ApiConfig, models?: AnyModel[]])[] = [
      ['return callback of Note', { API_RETURN_CALLBACK: use }],
      ['final callback', { API_FINAL_CALLBACK: use }],
      ['dump callback of Note', { API_DUMP_CALLBACK: use }],
      ['filter callback of Note', { API_FILTER_CALLBACK: narrow }],
      ['can_create of the policy of Note', {}, withPolicy({ can_create: use })],
      ['scope_query of the policy of Note', {}, withPolicy({ scope_query: narrow })],
    ]
    for (const [name, config, models] of cases) {
      const { status } = await create(config, models)
      equal([name, status], [name, 500])
      match(String(reported[0]), `The ${name} requested a second connection`)
    }
    const changed = testApi(
      sqlite,
      withColumn({ validator: async (_value: string, _row: object) => use() }),
      {},
      options,
    )
    reported.length = 0
    equal((await send(changed, 'PATCH', '/api/notes/1', { body: { title: 'x' } })).status, 500)
    match(String(reported[0]), 'The validator of Note.title requested a second connection')
  })

  test('a request to an API on the same instance fails in the same way', async () => {
    const inner = testApi(sqlite, [Note], {}, { onError: () => {} })
    const answers: number[] = []
    const { status } = await create(
      add(async () => {
        answers.push((await inner.handle({ method: 'GET', url: '/api/notes' })).status)
      }),
    )
    equal(status, 500)
    // The hook continues after the response, and its query gets an answer as soon as the connection is free.
    for (let i = 0; i < 100 && answers.length === 0; i++) await later(10)
    equal(answers.length, 1)
  })

  test('a statement that the hook does not await runs after the transaction', async () => {
    let background: Promise<unknown> | undefined
    const { status } = await create(
      add(() => {
        background = rows(db)
        return undefined
      }),
    )
    equal(status, 201)
    ok(((await background) as unknown[]).length >= 2)
  })

  test('args.db, reads, concurrent requests and statements after a hook work', async () => {
    const api: Api = testApi(
      sqlite,
      [Note],
      {
        API_ADD_CALLBACK: async (object, _model, args) => {
          await rows(args.db)
          await later(60)
          setTimeout(() => void late.push(rows(db)), 1)
          return object
        },
        API_DUMP_CALLBACK: async (data, args) => {
          await later()
          // A read holds no connection while its hooks run.
          if (args.action === 'GET_ONE') await rows(db)
          return data
        },
      },
      options,
    )
    const late: Promise<unknown>[] = []
    const [created, read] = await Promise.all([
      send(api, 'POST', '/api/notes', { body: { title: 'another' } }),
      get(api, '/api/notes/1'),
    ])
    // A read of a batch holds the connection of its transaction.
    equal([created.status, read.status], [201, way === 'batch' ? 500 : 200])
    await later(20)
    equal(late.length, 1)
    await Promise.all(late)
  })

  test('in a transaction of the host', async () => {
    const database = new Sqlite(':memory:')
    database.exec('create table notes (id integer primary key, title text not null)')
    const root: Instance = new Kysely({ dialect: new SqliteDialect({ database }) })
    reported.length = 0
    await root.transaction().execute(async (own) => {
      const api = testApi(
        { ...sqlite, kysely: root },
        [Note],
        {
          ...add(() => rows(root)),
          API_SESSION_GETTER: () => own,
        },
        options,
      )
      const { status } = await send(api, 'POST', '/api/notes', { body: { title: 'x' } })
      equal(status, 500)
    })
    match(String(reported[0]), 'args.db')
    await root.destroy()
  })
})

if (postgres.url === undefined)
  notRun('hooks with a pool of one connection', postgres.missing ?? '')
else {
  suite('a hook that uses another instance inside a transaction [postgres]', (test) => {
    test.before(() => createTables(postgres, [Note]))
    test.after(() => postgres.close())

    test('ends at the time limit if the pool has no other connection', async () => {
      const { default: pg } = await import('pg')
      const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
      pool.on('error', () => {})
      const own: Instance = new Kysely({ dialect: new PostgresDialect({ pool }) })
      const reported: unknown[] = []
      const api = testApi(
        { ...postgres, kysely: own },
        [Note],
        {
          API_HOOK_TIMEOUT: 200,
          API_ADD_CALLBACK: async (object) => {
            if (object.title === 'waits') await rows(own)
            return object
          },
        },
        { onError: (error) => void reported.push(error) },
      )
      const post = (title: string) => send(api, 'POST', '/api/notes', { body: { title } })
      equal((await post('waits')).status, 500)
      match(String(reported[0]), 'The add callback of Note did not settle within 200 ms')
      equal((await post('goes on')).status, 201)
      equal((await rows(own)).length, 1)
      await own.destroy()
    })
  })
}
