/** The Kysely instance of the host is used as it is: its dialect, log and connections. */
import { type Api, type ApiConfig, defineModel } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import {
  type Dialect,
  Kysely,
  type LogEvent,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
  sql,
} from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { genericDialect } from '../../packages/core/src/dialect/generic/generic-dialect.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { column, read } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

/** Paths into json columns need a dialect with `jsonValue`, which not every dialect has. */
const withoutPaths = shop.map((model) => ({
  ...model,
  columns: Object.fromEntries(
    Object.entries(model.columns).map(([name, { json: _, ...column }]) => [name, column]),
  ),
}))

const allowed: ApiConfig = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('contract: the dialect of the Kysely instance', (test, db) => {
  test.before(() => createWritableShop(db))

  for (const [title, dialect] of [
    ['by its name', 'generic'],
    ['as an object', { ...genericDialect, name: 'of another package' }],
  ] as const) {
    test(`a dialect given ${title} takes precedence over the adapter of the instance`, async () => {
      const api = testApi(db, withoutPaths, allowed, { dialect })
      equal(await column(api, '/api/books?price__gt=10&order_by=-price,id'), [3, 4, 1])
      const [book] = await read(api, '/api/books?exists(tags.id__eq=2)&dump=json')
      equal([book.author.bornOn, book.tags.map(({ id }: { id: number }) => id)], [null, [2]])
      const groups = '/api/books?groupby=author_id&id|books__count=1&books__gt=1'
      equal(await read(api, groups), [{ author_id: 3, books: 2 }])
      const created = await send(api, 'POST', '/api/tags', { body: { name: title } })
      equal([created.status, created.value?.name], [201, title])
      const url = created.headers.location ?? ''
      const again = await send(api, 'PATCH', url, { body: { name: 'food' } })
      equal([again.status, again.errors?.error], [409, 'Conflict'])
      equal((await send(api, 'DELETE', url)).status, 200)
    })
  }

  test('an unknown dialect is an error of createApi, not of a request', () => {
    const { message } = throws(() => testApi(db, shop, {}, { dialect: 'oracle' }))
    ok(message.includes('unknown name "oracle"') && message.includes('mariadb'), message)
  })
})

eachDatabase('contract: the log and the lifetime of the Kysely instance', (test, db) => {
  const events: LogEvent[] = []
  // biome-ignore lint/suspicious/noExplicitAny: tables come and go
  let kysely: Kysely<any>
  const served = (): Api => testApi(db, [Label], {}, { db: kysely })
  test.before(async () => {
    await sql`select 1`.execute(db.kysely)
    kysely = new Kysely({ dialect: ownDialect(db), log: (event) => void events.push(event) })
    await createTables({ ...db, kysely }, [Label])
  })
  test.after(() => kysely.destroy())

  test('createApi sends no statement', async () => {
    events.length = 0
    const api = served()
    equal(events.length, 0)
    await get(api, '/api/labels')
    ok(events.length > 0)
  })

  test('its log has every statement, with the bound values', async () => {
    const api = served()
    await api.ready
    events.length = 0
    equal((await send(api, 'POST', '/api/labels', { body: { name: 'logged' } })).status, 201)
    ok(events.some(({ query }) => query.sql.startsWith('insert into')))
    events.length = 0
    equal(await column(api, '/api/labels?name__eq=logged', 'name'), ['logged'])
    const told = events.map(({ level, query, queryDurationMillis }) => [
      level,
      query.parameters.includes('logged'),
      typeof queryDurationMillis,
    ])
    equal(told, [['query', true, 'number']])
  })

  test('its log has failed statements', async () => {
    const api = served()
    const post = () => send(api, 'POST', '/api/labels', { body: { name: 'twice' } })
    equal((await post()).status, 201)
    events.length = 0
    equal((await post()).status, 409)
    const failed = events.filter(({ level }) => level === 'error')
    equal(
      failed.map(({ query }) => query.sql.startsWith('insert into')),
      [true],
    )
  })

  test('closing the API leaves it open', async () => {
    const api = served()
    equal((await get(api, '/api/labels')).status, 200)
    await api.close()
    await sql`select 1`.execute(kysely)
    equal((await get(served(), '/api/labels')).status, 200)
  })
})

const Label = defineModel('Label', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40, unique: true },
  },
  meta: {},
})

/** Opens new connections to the same database; for a database in memory, opens a new one. */
function ownDialect(db: TestDatabase): Dialect {
  switch (db.name) {
    case 'sqlite':
      return new SqliteDialect({ database: new Sqlite(':memory:') })
    case 'postgres': {
      const pool = new pg.Pool({ connectionString: db.url, max: 2 })
      // A connection may still be closing when its database is dropped; nothing waits for it then.
      pool.on('error', () => {})
      return new PostgresDialect({ pool })
    }
    case 'mysql':
      return new MysqlDialect({ pool: createPool({ uri: db.url ?? '', connectionLimit: 2 }) })
  }
}
