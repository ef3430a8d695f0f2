/** The response envelope, its settings, its headers and the version, following the specification sentence by sentence. */
import { defineModel } from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const members = [
  'datetime',
  'api_version',
  'status_code',
  'response_ms',
  'total_count',
  'next_url',
  'previous_url',
  'errors',
  'value',
]

eachDatabase('specification: response envelope', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_VERSION: '2.7' })

  test('every response body is an object with these fields, in this order', async () => {
    for (const url of [
      '/api/tags',
      '/api/tags/1',
      '/api/books/1/tags',
      '/api/books/1/author',
      '/api/tags/99',
      '/api/tags?page=0',
      '/api/nothing',
      '/nowhere',
    ]) {
      equal(Object.keys((await get(api, url)).body), members, url)
    }
    equal(Object.keys((await send(api, 'TRACE', '/api/tags')).body), members)
  })

  test('datetime: ISO 8601 with UTC offset', async () => {
    equal((await get(api, '/api/tags')).body.datetime, '2026-01-02T03:04:05.678+00:00')
  })

  test('api_version: the string set in API_VERSION, in every envelope (versioning 1)', async () => {
    equal((await get(api, '/api/tags')).body.api_version, '2.7')
    equal((await get(api, '/api/nothing')).body.api_version, '2.7')
    equal((await get(testApi(db, shop), '/api/tags')).body.api_version, '1.0.0')
  })

  test('status_code: the HTTP status', async () => {
    for (const [url, status] of [
      ['/api/tags', 200],
      ['/api/tags?page=0', 400],
      ['/api/tags/99', 404],
    ] as const) {
      const answer = await get(api, url)
      equal([answer.status, answer.body.status_code], [status, status])
    }
  })

  test('response_ms: the processing time in milliseconds', async () => {
    const clock = frozenClock()
    const slow = testApi(
      db,
      shop,
      {
        API_SESSION_GETTER: () => {
          clock.tick(12.3456)
          return db.kysely
        },
      },
      { clock },
    )
    equal((await get(slow, '/api/tags')).body.response_ms, 12.346)
  })

  test('total_count: matching records; 1 for one object; 0 for failures', async () => {
    equal((await get(api, '/api/tags?limit=1')).total, 3)
    equal((await get(api, '/api/tags/1')).total, 1)
    equal((await get(api, '/api/books/1/author')).total, 1)
    equal((await get(api, '/api/tags/99')).total, 0)
  })

  test('next_url and previous_url: a string or null', async () => {
    const { body } = await get(api, '/api/tags?limit=1&page=2')
    equal(
      [body.next_url, body.previous_url],
      ['/api/tags?limit=1&page=3', '/api/tags?limit=1&page=1'],
    )
    const one = await get(api, '/api/tags/1')
    equal([one.body.next_url, one.body.previous_url], [null, null])
  })

  test('errors: null on success, an object with error and reason on failure', async () => {
    equal((await get(api, '/api/tags')).errors, null)
    const { errors } = await get(api, '/api/tags?page=0')
    equal([errors.error, typeof errors.reason], ['Bad Request', 'string'])
  })

  test('value: an array, an object, or null on failure', async () => {
    equal(Array.isArray((await get(api, '/api/tags')).value), true)
    equal((await get(api, '/api/tags/1')).value.name, 'classic')
    equal((await get(api, '/api/tags/99')).value, null)
  })
})

eachDatabase('contract: envelope switches', (test, db) => {
  test.before(() => createShop(db))

  for (const [key, member] of [
    ['API_DUMP_DATETIME', 'datetime'],
    ['API_DUMP_VERSION', 'api_version'],
    ['API_DUMP_STATUS_CODE', 'status_code'],
    ['API_DUMP_RESPONSE_MS', 'response_ms'],
    ['API_DUMP_TOTAL_COUNT', 'total_count'],
    ['API_DUMP_NULL_NEXT_URL', 'next_url'],
    ['API_DUMP_NULL_PREVIOUS_URL', 'previous_url'],
    ['API_DUMP_NULL_ERRORS', 'errors'],
  ] as const) {
    test(`${key} false removes ${member}, globally or per model`, async () => {
      const left = members.filter((other) => other !== member)
      const { body } = await get(testApi(db, shop, { [key]: false }), '/api/tags')
      equal(Object.keys(body), left)
      const meta = { [key.slice('API_'.length).toLowerCase()]: false }
      const api = testApi(db, withMeta(shop, 'Tag', meta))
      equal(Object.keys((await get(api, '/api/tags')).body), left)
      equal(Object.keys((await get(api, '/api/books')).body), members)
    })
  }

  test('the three NULL keys remove a member only when it is null', async () => {
    const api = testApi(db, shop, {
      API_DUMP_NULL_NEXT_URL: false,
      API_DUMP_NULL_PREVIOUS_URL: false,
      API_DUMP_NULL_ERRORS: false,
    })
    const middle = await get(api, '/api/tags?limit=1&page=2')
    match(middle.body.next_url, 'page=3')
    match(middle.body.previous_url, 'page=1')
    equal('errors' in middle.body, false)
    equal((await get(api, '/api/tags?page=0')).errors.error, 'Bad Request')
  })

  test('when only value would remain, the body is the bare value', async () => {
    const api = testApi(db, shop, {
      API_DUMP_DATETIME: false,
      API_DUMP_VERSION: false,
      API_DUMP_STATUS_CODE: false,
      API_DUMP_RESPONSE_MS: false,
      API_DUMP_TOTAL_COUNT: false,
      API_DUMP_NULL_NEXT_URL: false,
      API_DUMP_NULL_PREVIOUS_URL: false,
      API_DUMP_NULL_ERRORS: false,
    })
    equal((await get(api, '/api/tags?fields=id')).body, [{ id: 1 }, { id: 2 }, { id: 3 }])
    equal((await get(api, '/api/tags/1?fields=id')).body, { id: 1 })
    // `handle` returns the body as an object, `answer`, which other tests call, as text.
    const handled = async (url: string) =>
      (await api.handle({ method: 'GET', url })).body as unknown
    equal(await handled('/api/tags?fields=id'), [{ id: 1 }, { id: 2 }, { id: 3 }])
    equal(await handled('/api/tags/1?fields=id'), { id: 1 })
    equal(Object.keys((await get(api, '/api/tags?fields=id&limit=1')).body), ['next_url', 'value'])
    equal(Object.keys((await get(api, '/api/tags/99')).body), ['errors', 'value'])
  })

  test('API_DUMP_ENVELOPE false: the bare value, count and links in headers', async () => {
    const api = testApi(db, shop, { API_DUMP_ENVELOPE: false })
    const { body, headers } = await get(api, '/api/tags?fields=id&limit=1&page=2')
    equal(body, [{ id: 2 }])
    equal(headers['x-total-count'], '3')
    equal(
      headers.link,
      '</api/tags?fields=id&limit=1&page=3>; rel="next", </api/tags?fields=id&limit=1&page=1>; rel="prev"',
    )
    const whole = await get(api, '/api/tags?fields=id')
    equal([whole.headers.link, whole.headers['x-total-count']], [undefined, '3'])
    equal((await get(api, '/api/tags?count=none&fields=id')).headers['x-total-count'], undefined)
    const capped = await get(api, '/api/tags?count=capped&fields=id')
    equal(capped.headers['x-total-count'], '3')
  })

  test('API_DUMP_ENVELOPE false: one object, a write and a removal are bare too', async () => {
    const config = { API_DUMP_ENVELOPE: false, API_ALLOW_SELECT_FIELDS: true }
    const api = testApi(db, shop, config)
    const one = await get(api, '/api/tags/1?fields=id')
    equal([one.body, one.headers['x-total-count']], [{ id: 1 }, '1'])
    const body = { order_no: 'envelope', line: 1, book_id: 1, quantity: 1 }
    const made = await send(api, 'POST', '/api/order-lines', { body })
    equal([made.status, made.body.quantity, made.headers['x-total-count']], [201, 1, '1'])
    const gone = await send(api, 'DELETE', made.headers.location ?? '')
    equal([gone.status, gone.text], [200, 'null'])
  })

  test('API_DUMP_ENVELOPE and API_DUMP_REQUEST_ID may be set per model', async () => {
    const bare = testApi(db, withMeta(shop, 'Tag', { dump_envelope: false }))
    equal((await get(bare, '/api/tags?fields=id&limit=1')).body, [{ id: 1 }])
    equal(Object.keys((await get(bare, '/api/books')).body), members)
    const named = testApi(db, withMeta(shop, 'Tag', { dump_request_id: true }))
    equal((await get(named, '/api/tags')).body.request_id, 'test')
    equal((await get(named, '/api/tags/99')).body.request_id, 'test')
    equal((await get(named, '/api/books')).body.request_id, undefined)
  })

  test('API_DUMP_ENVELOPE false: failures keep the envelope', async () => {
    const api = testApi(db, shop, { API_DUMP_ENVELOPE: false })
    equal(Object.keys((await get(api, '/api/tags?page=0')).body), members)
    equal(Object.keys((await get(api, '/api/nothing')).body), members)
  })

  test('with the envelope, count and links are not repeated in headers', async () => {
    const { headers } = await get(testApi(db, shop), '/api/tags?limit=1')
    equal([headers['x-total-count'], headers.link], [undefined, undefined])
  })

  test('API_DUMP_REQUEST_ID adds request_id; the header is always sent', async () => {
    const off = await get(testApi(db, shop), '/api/tags', { 'x-request-id': 'abc' })
    equal([off.body.request_id, off.headers['x-request-id']], [undefined, 'abc'])
    const api = testApi(db, shop, { API_DUMP_REQUEST_ID: true })
    const on = await get(api, '/api/tags', { 'x-request-id': 'abc' })
    equal([on.body.request_id, on.headers['x-request-id']], ['abc', 'abc'])
    equal((await get(api, '/api/tags/99', { 'x-request-id': 'abc' })).body.request_id, 'abc')
  })

  test('a request id of at most 128 characters of [A-Za-z0-9._-] is kept, any other is replaced', async () => {
    const api = testApi(db, shop)
    const idFor = async (id: string) =>
      (await get(api, '/api/tags', { 'x-request-id': id })).headers['x-request-id']
    for (const kept of ['a', 'A.b_c-9', 'x'.repeat(128)]) equal(await idFor(kept), kept)
    for (const bad of ['', 'a b', 'a\nb', 'é', 'x'.repeat(129), '<script>']) {
      match((await idFor(bad)) ?? '', /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    }
    const { headers } = await api.handle({ method: 'GET', url: '/api/tags' })
    match(headers['x-request-id'] ?? '', /^[0-9a-f]{8}-/)
  })

  test('responses are JSON in UTF-8, with nosniff', async () => {
    const { headers } = await get(testApi(db, shop), '/api/tags')
    equal(headers['content-type'], 'application/json; charset=utf-8')
    equal(headers['x-content-type-options'], 'nosniff')
  })
})

const Plain = defineModel('Plain', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: {},
})

eachDatabase('contract: internal failures', (test, db) => {
  test('500 shows the request id and nothing else, and is reported', async () => {
    const reported: unknown[] = []
    // The table does not exist.
    const api = testApi(db, [Plain], {}, { onError: (error) => reported.push(error) })
    const { errors, text } = await refuses(api, '/api/plains', { status: 500 })
    equal(errors, {
      error: 'Internal Server Error',
      reason: 'Request test',
      code: 'internal_error',
    })
    equal(/plains|table|relation|sql/i.test(text), false, text)
    equal(reported.length, 1)
    await refuses(api, '/api/plains/1', { status: 500 })
    equal(reported.length, 2)
  })

  test('a refusal is not reported', async () => {
    const reported: unknown[] = []
    const api = testApi(db, [Plain], {}, { onError: (error) => reported.push(error) })
    await refuses(api, '/api/plains?nope__eq=1')
    await refuses(api, '/api/nothing', { status: 404 })
    equal(reported, [])
  })

  test('a failed API_SESSION_GETTER is 500 and reported', async () => {
    const reported: unknown[] = []
    const getter = () => {
      throw new Error('no session for you')
    }
    const api = testApi(
      db,
      [Plain],
      { API_SESSION_GETTER: getter },
      { onError: (error) => reported.push(error) },
    )
    const { text } = await refuses(api, '/api/plains', { status: 500 })
    equal([text.includes('session'), reported.length], [false, 1])
  })

  test('the service works after a failure', async () => {
    const api = testApi(db, [Plain], {}, { onError: () => {} })
    await refuses(api, '/api/plains', { status: 500 })
    await db.kysely.schema.createTable('plains').addColumn('id', 'integer').execute()
    equal((await succeeds(api, '/api/plains')).value, [])
  })
})
