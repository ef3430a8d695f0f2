/** The health routes: their response is the same for everybody, and reveals nothing about users, data, servers or connections. */
import { type Api, type ApiConfig, createApi, defineModel } from '@model-api/core'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eventually } from '../support/faults.ts'
import { freePort } from '../support/free-port.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { ask } from './answer.ts'

const Book = defineModel('Book', {
  columns: { id: { type: 'integer', primaryKey: true }, title: { type: 'string' } },
  meta: { role_map: { '*': 'admin' } },
})

const config: ApiConfig = { API_HEALTH_ROUTE: '/health', API_VERSION: '7' }

const callers = [{ id: 1, roles: ['admin'] }, { id: 7, roles: ['viewer'] }, undefined] as const
const credentials = [{}, { authorization: 'Bearer x' }, { authorization: 'Basic eDp4' }] as const

const envelope = (status: number, value: object | null, reason?: string): object => ({
  datetime: '2026-01-02T03:04:05.678+00:00',
  api_version: '7',
  status_code: status,
  response_ms: 0,
  total_count: value === null ? 0 : 1,
  next_url: null,
  previous_url: null,
  errors: reason === undefined ? null : { error: 'Service Unavailable', reason, code: 'unready' },
  value,
})

/** Sends every caller's request to a health route, requires that all responses are equal, and returns the response. */
async function toldAt(api: Api, url: string): Promise<unknown> {
  const told = new Map<string, string>()
  for (const user of callers) {
    for (const headers of credentials) {
      const request = { method: 'GET', url, headers: { 'x-request-id': 'r', ...headers }, user }
      const answer = await ask(api, request, 'sent')
      told.set(answer.told, answer.text)
    }
  }
  equal(told.size, 1, [...told.keys()].join('\n'))
  return JSON.parse([...told.values()][0] ?? '')
}

eachDatabase('the health routes', (test, db) => {
  test.before(async () => {
    await createTables(db, [Book])
    await insertRows(db, Book, [{ id: 1, title: 'Secret' }])
  })

  test('show everyone the state, and nothing else', async () => {
    const { now } = frozenClock()
    let elapsed = 0
    const clock = { now, elapsed: () => elapsed }
    const options = { db: db.kysely, models: [Book], clock, onWarning: () => {} }
    for (const more of [{}, { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: () => null }]) {
      const api = createApi({ ...options, config: { ...config, ...more } as ApiConfig })
      equal(await toldAt(api, '/health'), envelope(200, { status: 'live' }))
      // The database has a second to respond, which a loaded machine may need for something else.
      ok(
        await eventually(async () => {
          elapsed += 1_000
          return (await api.handle({ method: 'GET', url: '/health/ready' })).status === 200
        }),
      )
      equal(await toldAt(api, '/health/ready'), envelope(200, { status: 'ready' }))
      api.drain()
      equal(await toldAt(api, '/health/ready'), envelope(503, null, 'Not ready: draining.'))
    }
  })
})

suite('the health routes without a database', (test) => {
  const port = freePort()
  const password = 'pass-of-the-service'
  const dialects = {
    postgres: async () =>
      new PostgresDialect({
        pool: new pg.Pool({ host: '127.0.0.1', port: await port, user: 'service', password }),
      }),
    mysql: async () =>
      new MysqlDialect({
        pool: createPool({ host: '127.0.0.1', port: await port, user: 'service', password }),
      }),
  }
  for (const [name, dialect] of Object.entries(dialects)) {
    test(`do not reveal its address or why it is unavailable: ${name}`, async () => {
      const kysely = new Kysely<object>({ dialect: await dialect() })
      const api = createApi({
        db: kysely,
        models: [Book],
        config,
        clock: frozenClock(),
        onWarning: () => {},
        onError: () => {},
      })
      equal(await toldAt(api, '/health'), envelope(200, { status: 'live' }))
      const away = envelope(503, null, 'Not ready: database unreachable.')
      equal(await toldAt(api, '/health/ready'), away)
      await kysely.destroy()
    })
  }
})
