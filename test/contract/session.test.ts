/** API_SESSION_GETTER: a connection or transaction of the host serves the request, and the API never ends it. */
import { type Api, type ApiConfig, apiError } from '@model-api/core'
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { databaseBeside } from '../support/databases.ts'
import { column, refuses, withMeta } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: any tables
type Instance = Kysely<any>

const everything: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
}

/** Statements that only the owner of a transaction may send. */
const owned = /^(begin|start transaction|commit|rollback|savepoint|release|set transaction)/i

eachDatabase('contract: a transaction of the host per request', (test, db) => {
  let current: Instance = db.kysely
  const api = testApi(db, shop, { ...everything, API_SESSION_GETTER: () => current })
  test.before(async () => {
    await createWritableShop(db)
    await api.ready
  })

  /** Serves requests inside one transaction, which is then committed or rolled back as specified. */
  async function inside<T>(
    end: 'commit' | 'rollback',
    run: (transaction: Instance) => Promise<T>,
  ): Promise<T> {
    const transaction = await db.kysely.startTransaction().execute()
    current = transaction
    try {
      return await run(transaction)
    } finally {
      current = db.kysely
      await transaction[end]().execute()
    }
  }

  const names = (): Promise<unknown[]> => column(api, '/api/tags?order_by=id', 'name')

  test('a write is read inside, and undone by the rollback of the host', async () => {
    const before = await names()
    await inside('rollback', async () => {
      const created = await send(api, 'POST', '/api/tags', { body: { name: 'undone' } })
      equal(created.status, 201)
      equal((await get(api, created.headers.location ?? '')).status, 200)
      equal((await names()).length, before.length + 1)
    })
    equal(await names(), before)
  })

  test('a write is stored when the host commits', async () => {
    const before = await names()
    await inside('commit', async () => {
      equal((await send(api, 'POST', '/api/tags', { body: { name: 'kept' } })).status, 201)
    })
    equal(await names(), [...before, 'kept'])
  })

  test('a read sees what the host has written in the transaction', async () => {
    await inside('rollback', async (transaction) => {
      await transaction.updateTable('tags').set({ name: 'renamed' }).where('id', '=', 1).execute()
      equal((await get(api, '/api/tags/1')).value.name, 'renamed')
      equal(await column(api, '/api/books?exists(tags.name__eq=renamed)'), [1, 3])
    })
    equal((await get(api, '/api/tags/1')).value.name, 'classic')
  })

  test('no request begins or commits a transaction, or sets a savepoint', async () => {
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/api/books?dump=json&join=author'],
      ['POST', '/api/books', { title: 'N', author: { name: 'N' }, tags: [{ name: 'n' }] }],
      ['POST', '/api/tags', [{ name: 'b1' }, { name: 'b2' }]],
      ['POST', '/api/tags?on_conflict=name', { name: 'b1' }],
      ['PATCH', '/api/books/1', { title: 'Changed', tags: [{ id: 2 }] }],
      ['PATCH', '/api/books?id__in=(1,2)', { title: 'Changed too' }],
      ['DELETE', '/api/authors/4'],
      ['DELETE', '/api/books/1?cascade_delete=1'],
    ]
    const counts = await inside('rollback', async () => {
      const list: (readonly [number, readonly string[]])[] = []
      for (const [method, url, body] of requests) {
        const { result, statements } = await db.capture(() =>
          send(api, method, url, body === undefined ? {} : { body }),
        )
        const own = statements.map((statement) => statement.sql).filter((text) => owned.test(text))
        list.push([result.status, own])
      }
      return list
    })
    equal(counts, [
      [200, []],
      [201, []],
      [201, []],
      [200, []],
      [200, []],
      [200, []],
      [200, []],
      [200, []],
    ])
    equal((await get(api, '/api/books/1')).value.title, 'Arrows')
  })

  test('a write of one record costs as many statements as without the transaction', async () => {
    const writes: readonly (readonly [string, string, unknown?])[] = [
      ['POST', '/api/tags', { name: 'counted' }],
      ['PATCH', '/api/books/1', { title: 'Counted' }],
      ['DELETE', '/api/reviews/1'],
    ]
    const counts = async (): Promise<unknown[]> => {
      const list: unknown[] = []
      for (const [method, url, body] of writes) {
        const write = () => send(api, method, url, body === undefined ? {} : { body })
        const { result, statements } = await db.capture(write)
        list.push([method, result.status, statements.length])
      }
      return list
    }
    const within = await inside('rollback', counts)
    equal(within, await counts())
    await send(api, 'PATCH', '/api/books/1', { body: { title: 'Arrows' } })
  })

  test('the first requests may each have a transaction, even if these hold every connection', async () => {
    const count = db.name === 'sqlite' ? 1 : 4
    const open = await Promise.all(
      Array.from({ length: count }, () => db.kysely.startTransaction().execute()),
    )
    const waiting = [...open]
    const fresh = testApi(db, shop, { API_SESSION_GETTER: () => waiting.pop() as Instance })
    const answers = await Promise.all(open.map(() => get(fresh, '/api/tags')))
    equal(
      answers.map(({ status }) => status),
      open.map(() => 200),
    )
    for (const transaction of open) await transaction.rollback().execute()
  })

  test('a refused write gets the usual response, and the host decides about its transaction', async () => {
    const before = await names()
    await inside('rollback', async () => {
      equal((await send(api, 'POST', '/api/tags', { body: { name: 'first' } })).status, 201)
      equal((await send(api, 'POST', '/api/tags', { body: { name: 'food' } })).status, 409)
      // PostgreSQL refuses further statements in a transaction in which one has failed.
      if (db.name !== 'postgres') equal((await names()).includes('first'), true)
    })
    equal(await names(), before)
  })

  test('a callback that refuses undoes nothing: that is up to the host', async () => {
    const config: ApiConfig = {
      ...everything,
      API_SESSION_GETTER: () => current,
      API_ADD_CALLBACK: (object, model) => {
        if (model.name === 'Book') throw apiError(418, 'On loan', 'Not now.')
        return object
      },
    }
    const picky = testApi(db, shop, config)
    await picky.ready
    const before = await column(api, '/api/authors')
    const after = await inside('rollback', async () => {
      const body = { title: 'Never', author: { name: 'Half' } }
      equal((await send(picky, 'POST', '/api/books', { body })).status, 418)
      return column(api, '/api/authors')
    })
    equal([after.length, await column(api, '/api/authors')], [before.length + 1, before])
  })

  test('a transaction may be the instance of createApi itself', async () => {
    const before = await names()
    await inside('rollback', async (transaction) => {
      const own = testApi(db, shop, everything, { db: transaction })
      await own.ready
      equal((await send(own, 'POST', '/api/tags', { body: { name: 'short' } })).status, 201)
      equal((await column(own, '/api/tags', 'name')).includes('short'), true)
    })
    equal(await names(), before)
  })

  test('a deadlock is not retried: it ended the transaction of the host', async () => {
    // SQLite runs one write after the other, so they cannot conflict.
    if (db.name === 'sqlite') return
    let met = 0
    const seen: string[] = []
    const sessions = new Map<string, Instance>()
    const config: ApiConfig = {
      ...everything,
      API_SESSION_GETTER: ({ headers }) =>
        sessions.get(String(headers?.['x-session'])) ?? db.kysely,
      API_UPDATE_CALLBACK: async (object) => {
        seen.push(object.title)
        met += 1
        while (met < 2) await new Promise((resolve) => setTimeout(resolve, 5))
        return object
      },
    }
    const own = testApi(db, shop, config, { onError: () => {} })
    await own.ready
    const turns = [
      ['a', [1, 2]],
      ['b', [2, 1]],
    ] as const
    const statuses = await Promise.all(
      turns.map(async ([name, ids]) => {
        const transaction = await db.kysely.startTransaction().execute()
        sessions.set(name, transaction)
        const answers: Answer[] = []
        for (const id of ids) {
          const headers = { 'x-session': name }
          const body = { rating: 3 }
          answers.push(await send(own, 'PATCH', `/api/books/${id}`, { headers, body }))
        }
        await transaction.rollback().execute()
        return answers.map(({ status }) => status)
      }),
    )
    equal(statuses.sort(), [
      [200, 200],
      [200, 503],
    ])
    ok(seen.length <= 4, `update callbacks: ${seen.join(', ')}`)
  })
})

eachDatabase('contract: API_SESSION_GETTER chooses the instance of a request', (test, db) => {
  test.before(() => createWritableShop(db))

  test('by properties of the request, also by a promise', async () => {
    const other = databaseBeside(db)
    await createWritableShop(other)
    const api = testApi(db, shop, {
      API_SESSION_GETTER: async ({ method }) => (method === 'GET' ? other.kysely : db.kysely),
    })
    const { status, headers, value } = await send(api, 'POST', '/api/tags', {
      body: { name: 'on the primary' },
    })
    // The response to a write is read from the connection that wrote.
    equal([status, value.name], [201, 'on the primary'])
    equal((await get(api, headers.location ?? '')).status, 404)
    equal((await column(testApi(db, shop), '/api/tags', 'name')).at(-1), 'on the primary')
    await other.close()
  })

  test('one connection serves the whole request, including its transaction', async () => {
    let current: Instance = db.kysely
    const api = testApi(db, shop, { ...everything, API_SESSION_GETTER: () => current })
    await api.ready
    await db.kysely.connection().execute(async (connection) => {
      // The table exists only on this connection, which finds it before the other one with its name.
      await sql`create temporary table tags (id integer, name varchar(40))`.execute(connection)
      await sql`insert into tags values (7, 'temporary')`.execute(connection)
      current = connection
      // MySQL cannot use a temporary table twice in one statement, as a list with its total does.
      if (db.engine !== 'mysql') equal(await column(api, '/api/tags', 'name'), ['temporary'])
      equal((await get(api, '/api/tags/7')).value.name, 'temporary')
      const changed = await send(api, 'PATCH', '/api/tags/7', { body: { name: 'changed' } })
      equal([changed.status, changed.value.name], [200, 'changed'])
      current = db.kysely
      await sql`drop ${db.name === 'mysql' ? sql`temporary` : sql``} table tags`.execute(connection)
    })
    equal(await column(api, '/api/tags?id__eq=1', 'name'), ['classic'])
  })

  test('policies get queries of the instance that was handed in', async () => {
    const policy: AccessPolicy = { scope_query: (query) => query.where('inStock', 'is', null) }
    const models = withMeta(shop, 'Book', { access_policy: policy })
    const api = testApi(db, models, {
      API_SESSION_GETTER: () => db.kysely.withPlugin(new CamelCasePlugin()),
    })
    equal(await column(api, '/api/books'), [5])
  })

  test('an instance with a schema plugin is refused if the schema is not given', async () => {
    const [answer, reported] = await refused(
      testApi.bind(null, db, shop, { API_SESSION_GETTER: () => db.kysely.withSchema('other') }),
    )
    equal(answer.text.includes('schema'), false)
    match(reported, 'API_SESSION_GETTER')
    match(reported, 'withSchema')
  })

  test('the log names a returned value that is not an instance', async () => {
    const [, reported] = await refused(
      testApi.bind(null, db, shop, { API_SESSION_GETTER: (() => undefined) as never }),
    )
    match(reported, 'API_SESSION_GETTER returned undefined')
  })

  /** Returns a response, which must be 500, and the error that the API reported. */
  async function refused(make: (options: object) => Api): Promise<[Answer, string]> {
    const reported: string[] = []
    const api = make({ onError: (error: Error) => reported.push(error.message) })
    const answer = await refuses(api, '/api/tags', { status: 500 })
    equal(reported.length, 1)
    return [answer, reported[0] ?? '']
  }
})
