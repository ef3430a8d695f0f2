/** API_SERVER_TIMING: which stages the header names for a request, its syntax, and that it is not sent by default. */
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

/** A list of metrics (W3C Server Timing §3), each with only a duration. */
const syntax = /^[a-z]+;dur=\d+(?:\.\d{1,3})?(?:, [a-z]+;dur=\d+(?:\.\d{1,3})?)*$/

type Timed = { readonly headers: Readonly<Record<string, string>> }

function stagesOf({ headers }: Timed): readonly string[] {
  const text = headers['server-timing'] ?? ''
  ok(syntax.test(text), `not a list of metrics: "${text}"`)
  return text.split(', ').map((metric) => metric.replace(/;.*/, ''))
}

const read = ['route', 'plan', 'database', 'serialize', 'total']

eachDatabase('Server-Timing', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_SERVER_TIMING: true, API_SERIALIZATION_TYPE: 'json' })

  test('a record, a list with embedded records, a relation: the stages of a read, each once', async () => {
    for (const url of [
      '/api/books/1',
      '/api/books?limit=2',
      '/api/authors',
      '/api/authors/1/books',
    ])
      equal(stagesOf(await get(api, url)), read, url)
  })

  test('HEAD and 304: the stages of a read', async () => {
    const { headers } = await get(api, '/api/tags/1')
    const known = await get(api, '/api/tags/1', { 'if-none-match': headers.etag ?? '' })
    equal([known.status, stagesOf(known)], [304, read])
    equal(stagesOf(await send(api, 'HEAD', '/api/tags/1')), read)
  })

  test('writes: in one statement, in a transaction, and without a response body', async () => {
    const body = { order_no: 'timed', line: 1, book_id: 1, quantity: 1 }
    const created = await send(api, 'POST', '/api/order-lines', { body })
    equal([created.status, stagesOf(created)], [201, read])
    const again = await send(api, 'POST', '/api/order-lines', { body })
    equal([again.status, stagesOf(again)], [409, ['route', 'plan', 'database', 'total']])
    const url = '/api/order-lines/timed,1'
    const headers = { 'if-match': '*' }
    const changed = await send(api, 'PATCH', url, { body: { quantity: 2 }, headers })
    equal([changed.status, stagesOf(changed)], [200, read])
    equal(stagesOf(await send(api, 'DELETE', url)), read)
  })

  test('failures: the stages that ran', async () => {
    equal(stagesOf(await get(api, '/api/nothing')), ['route', 'total'])
    equal(stagesOf(await send(api, 'TRACE', '/api/tags')), ['route', 'total'])
    equal(stagesOf(await get(api, '/api/books?page=0')), ['route', 'plan', 'total'])
    equal(stagesOf(await get(api, '/api/books/99')), ['route', 'plan', 'database', 'total'])
  })

  test('a callback, a limit and a strategy have stages of their own', async () => {
    const guarded = testApi(db, shop, {
      API_SERVER_TIMING: true,
      API_SETUP_CALLBACK: () => {},
      API_RATE_LIMIT: '100 per minute',
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers }) => headers?.['x-pass'] !== undefined,
    })
    const refused = await get(guarded, '/api/tags')
    const before = ['route', 'setup', 'limit', 'authenticate']
    equal([refused.status, stagesOf(refused)], [401, [...before, 'total']])
    const admitted = await get(guarded, '/api/tags', { 'x-pass': 'yes' })
    equal([admitted.status, stagesOf(admitted)], [200, [...before, ...read.slice(1)]])
  })

  test('each stage has the time spent in it, and the total is the sum', async () => {
    const clock = frozenClock()
    const slow = testApi(
      db,
      shop,
      {
        API_SERVER_TIMING: true,
        API_SETUP_CALLBACK: () => clock.tick(2),
        API_SESSION_GETTER: () => {
          clock.tick(12.34567)
          return db.kysely
        },
        API_RETURN_CALLBACK: (value) => {
          clock.tick(0.5)
          return value
        },
      },
      { clock },
    )
    equal(
      (await get(slow, '/api/tags/1')).headers['server-timing'],
      'route;dur=0, setup;dur=2, plan;dur=12.346, database;dur=0, serialize;dur=0.5, total;dur=14.846',
    )
  })

  test('the documentation and the endpoints of authentication are timed too', async () => {
    equal(stagesOf(await api.handle({ method: 'GET', url: '/openapi.json' })), ['route', 'total'])
    const signed = testApi(db, shop, {
      API_SERVER_TIMING: true,
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_KEY_AUTH_AND_RETURN_METHOD: () => null,
    })
    const login = await signed.handle({ method: 'POST', url: '/auth/login' })
    equal([login.status, stagesOf(login)], [401, ['route', 'authenticate', 'total']])
  })

  test('unset: the header is not sent, and nothing else differs', async () => {
    const plain = testApi(db, shop, { API_SERIALIZATION_TYPE: 'json' })
    for (const url of ['/api/books/1', '/api/authors', '/api/nothing', '/api/books?page=0']) {
      const { headers, text } = await get(plain, url)
      const { headers: timedHeaders, text: timedText } = await get(api, url)
      const { 'server-timing': timing, ...others } = timedHeaders
      equal([others, timedText], [headers, text], url)
      equal(['server-timing' in headers, timing === undefined], [false, false], url)
    }
  })
})
