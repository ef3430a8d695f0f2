/** The health routes: alive, ready, draining; and a server that shuts down without refusing a request. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, defineModel } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { get, send } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { loadFactor } from '../support/time-limit.ts'

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

const config = { API_HEALTH_ROUTE: '/health', API_RATE_LIMIT: '1 per hour' } as const

eachDatabase('the health routes', (test, db) => {
  const health = () => createApi({ db: db.kysely, models: [Book], config, onWarning: () => {} })
  test.before(() => createTables(db, [Book]))

  test('respond with 200 without credentials, rate limits or caching', async () => {
    const api = health()
    for (let i = 0; i < 3; i++) {
      const live = await get(api, '/health')
      equal([live.status, live.value], [200, { status: 'live' }])
      equal(live.headers['cache-control'], 'no-store')
      const ready = await get(api, '/health/ready')
      equal([ready.status, ready.value], [200, { status: 'ready' }])
    }
  })

  test('take GET, HEAD and OPTIONS', async () => {
    const api = health()
    equal((await send(api, 'HEAD', '/health/ready')).status, 200)
    equal((await send(api, 'OPTIONS', '/health')).headers.allow, 'GET, HEAD, OPTIONS')
    equal((await send(api, 'POST', '/health', {})).status, 405)
    equal((await get(api, '/health/')).status, 404)
    equal(api.owns('/health/ready'), true)
  })

  test('do not exist unless the configuration names them', async () => {
    const api = createApi({ db: db.kysely, models: [Book], onWarning: () => {} })
    equal((await get(api, '/health')).status, 404)
    equal(api.owns('/health'), false)
  })

  test('report a draining service as live, but not ready', async () => {
    const api = health()
    api.drain()
    const { status, errors, headers } = await get(api, '/health/ready')
    equal(
      [status, errors],
      [503, { error: 'Service Unavailable', reason: 'Not ready: draining.', code: 'unready' }],
    )
    equal([headers['retry-after'], headers['cache-control']], ['1', 'no-store'])
    equal((await get(api, '/health')).status, 200)
    equal((await get(api, '/api/books')).status, 200)
  })

  if (db.name === 'postgres') {
    test('report that the database is read-only, if writes are published', async () => {
      const pool = new pg.Pool({
        connectionString: db.url ?? '',
        options: '-c default_transaction_read_only=on',
      })
      // A connection may still be closing when its database is dropped.
      pool.on('error', () => {})
      const readOnly = new Kysely({ dialect: new PostgresDialect({ pool }) })
      const ask = (only: object) =>
        get(
          createApi({
            db: readOnly,
            models: [Book],
            config: { ...config, ...only },
            onWarning: () => {},
          }),
          '/health/ready',
        )
      match(String((await ask({})).errors?.reason), 'Not ready: database read-only.')
      equal((await ask({ API_ALLOWED_METHODS: ['GET'] })).status, 200)
      await readOnly.destroy()
    })
  }
})

suite('the health routes of a service without its database', (test) => {
  test('report it as live and not ready', async () => {
    const db = new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ host: '127.0.0.1', port: 1 }) }),
    })
    const api = createApi({ db, models: [Book], config, onWarning: () => {} })
    equal((await get(api, '/health')).status, 200)
    const { status, errors } = await get(api, '/health/ready')
    equal([status, errors?.reason], [503, 'Not ready: database unreachable.'])
    await db.destroy()
  })

  test('cannot have the path of another endpoint', () => {
    const start = (path: string) => () =>
      createApi({
        db: new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) }),
        models: [Book],
        config: { API_HEALTH_ROUTE: path },
      })
    throws(start('/docs'), /config\.API_HEALTH_ROUTE: "\/docs" is already the path/)
    throws(start('/api/books'), /config\.API_HEALTH_ROUTE: "\/api\/books" is already the path/)
  })
})

eachDatabase('a server that shuts down', (test, db) => {
  test('serves requests during its drain delay, and reports that it is not ready', async () => {
    await createTables(db, [Book])
    const api = createApi({
      db: db.kysely,
      models: [Book],
      config: { API_HEALTH_ROUTE: '/health' },
      onWarning: () => {},
    })
    const server = createServer(api, { drainDelay: 1_000 * loadFactor() })
    const url = await server.listen(0)
    equal((await fetch(`${url}/health/ready`)).status, 200)
    const closed = server.close()
    await sleep(50)
    const ready = await fetch(`${url}/health/ready`)
    equal([ready.status, ready.headers.get('connection')], [503, 'close'])
    equal((await fetch(`${url}/api/books`)).status, 200)
    await closed
    equal(
      await fetch(url).then(
        () => 'answered',
        () => 'refused',
      ),
      'refused',
    )
  })
})
