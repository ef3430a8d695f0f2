/** QUERY: a GET whose query string is in the body, following the documentation sentence by sentence. */
import type { Api } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const query = (api: Api, url: string, body: unknown, more: Parameters<typeof send>[3] = {}) =>
  send(api, 'QUERY', url, { headers: form, body, ...more })

const told = ({ status, text }: Answer) => ({ status, text })

eachDatabase('QUERY', (test, db) => {
  test.before(() => createShop(db))
  const config = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
  const api = testApi(db, shop, config)

  for (const [path, text] of [
    ['/api/books', 'price__ge=10&order_by=-price&limit=2'],
    ['/api/books', 'or[id__eq=1,title__startswith=A]&fields=id,title'],
    ['/api/books', 'groupby=author_id&id|n__count=1&order_by=author_id'],
    ['/api/books', 'join=author&author.name__ilike=a&count=none'],
    ['/api/authors/3/books', 'price__gt=18'],
    ['/api/books/1/author', 'fields=name'],
    ['/api/books', 'titel__eq=x'],
    ['/api/books', 'title__eq=%zz'],
    ['/api/tags', ''],
  ] as const) {
    test(`gives the same response as GET: ${path} ${text}`, async () => {
      const expected = told(await send(api, 'GET', text === '' ? path : `${path}?${text}`))
      equal(told(await query(api, path, text)), expected)
      equal(told(await query(api, path, new TextEncoder().encode(text))), expected)
      const override = { ...form, 'x-http-method-override': 'query' }
      const posted = { headers: override, body: text }
      equal(told(await send(api, 'POST', path, posted)), expected)
    })
  }

  test('the query of the URL comes before the body', async () => {
    const split = await query(api, '/api/books?order_by=-id&limit=1', 'id__le=3&page=2')
    equal(
      told(split),
      told(await send(api, 'GET', '/api/books?order_by=-id&limit=1&id__le=3&page=2')),
    )
    const twice = await query(api, '/api/books?limit=1', 'limit=2')
    equal([twice.status, twice.errors.code], [400, 'repeated_parameter'])
  })

  test('links carry the parameters of the body', async () => {
    const { body } = await query(api, '/api/books', 'id__ge=1&limit=2')
    equal(body.next_url, '/api/books?id__ge=1&limit=2&page=2')
  })

  test('another media type is 415, none is 400, a compressed body is 415', async () => {
    const json = await query(api, '/api/books', '{}', {
      headers: { 'content-type': 'application/json' },
    })
    equal([json.status, json.errors.code], [415, 'unsupported_media_type'])
    const none = await query(api, '/api/books', 'limit=1', { headers: {} })
    equal([none.status, none.errors.code], [400, 'missing_media_type'])
    const packed = await query(api, '/api/books', 'limit=1', {
      headers: { ...form, 'content-encoding': 'gzip' },
    })
    equal([packed.status, packed.errors.code], [415, 'unsupported_encoding'])
  })

  test('a body that the host has parsed is refused, because its order is lost', async () => {
    const { status, errors } = await query(api, '/api/books', { limit: '1' })
    equal([status, errors.code], [400, 'parsed_query_body'])
  })

  test('its responses and OPTIONS have Accept-Query, and Allow lists it', async () => {
    const type = form['content-type']
    equal((await query(api, '/api/books', '')).headers['accept-query'], type)
    equal((await query(api, '/api/books', 'x=1')).headers['accept-query'], type)
    const options = await send(api, 'OPTIONS', '/api/books')
    equal(options.headers['accept-query'], type)
    ok(options.headers.allow?.split(', ').includes('QUERY'))
    equal((await send(api, 'OPTIONS', '/api/books/1')).headers['accept-query'], undefined)
  })

  test('it is for lists and relations; one record is read by GET', async () => {
    const { status, headers } = await query(api, '/api/books/1', '')
    equal(status, 405)
    ok(!headers.allow?.includes('QUERY'))
  })

  test('a route without QUERY is 405, also for POST with the override, and nothing is written', async () => {
    const headers = { ...form, 'x-http-method-override': 'QUERY' }
    const { status, errors } = await send(api, 'POST', '/api/books/1', { headers })
    equal([status, errors.reason.startsWith('QUERY is not allowed here.')], [405, true])
  })

  test('it needs what GET needs: methods, roles, requirements, rate limits, policies', async () => {
    const writeOnly = testApi(db, shop, { ...config, API_ALLOWED_METHODS: ['POST'] })
    const refused = await query(writeOnly, '/api/books', '')
    equal(
      [refused.status, refused.errors.reason],
      [405, 'QUERY is not allowed here. Allowed: POST, OPTIONS.'],
    )
    const admins = testApi(db, shop, { ...config, API_ROLE_MAP: { GET: 'admin', POST: true } })
    equal((await query(admins, '/api/books', '')).status, 403)
    const admin = { user: { id: 1, roles: ['admin'] } }
    equal((await query(admins, '/api/books', '', admin)).status, 200)
    const limited = testApi(db, shop, { ...config, API_RATE_LIMIT: '2 per minute' })
    await send(limited, 'GET', '/api/books')
    await query(limited, '/api/books', '')
    equal((await query(limited, '/api/books', '')).status, 429)
    equal((await query(testApi(db, shop, config), '/api/books', 'x'.repeat(2_000_000))).status, 413)
  })

  test('a rate limit of POST does not count it, also where it comes as POST', async () => {
    const limited = testApi(db, withMeta(shop, 'Tag', { post_rate_limit: '1 per hour' }))
    const override = { headers: { ...form, 'x-http-method-override': 'QUERY' }, body: 'limit=1' }
    for (let times = 0; times < 3; times++) {
      equal((await query(limited, '/api/tags', 'limit=1')).status, 200)
      equal((await send(limited, 'POST', '/api/tags', override)).status, 200)
    }
    const statuses = [400, 429]
    for (const status of statuses) {
      equal((await send(limited, 'POST', '/api/tags', { body: {} })).status, status)
    }
  })

  test('it checks rights before it reads the body', async () => {
    const admins = testApi(db, shop, { ...config, API_ROLE_MAP: { GET: 'admin' } })
    equal((await query(admins, '/api/books', '{}', { headers: {} })).status, 403)
  })

  test('it never writes: the callbacks of POST do not run', async () => {
    const called: string[] = []
    const told = testApi(db, shop, {
      ...config,
      API_RETURN_CALLBACK: (value, { action }) => {
        called.push(action)
        return value
      },
    })
    const headers = {
      ...form,
      'x-http-method-override': 'QUERY',
      'idempotency-key': 'k'.repeat(20),
    }
    const { status } = await send(told, 'POST', '/api/books', { headers, body: 'limit=1' })
    equal([status, called], [200, ['GET_MANY']])
  })

  test('another method in X-HTTP-Method-Override is refused', async () => {
    const { status, errors } = await send(api, 'POST', '/api/books/1', {
      headers: { ...form, 'x-http-method-override': 'DELETE' },
    })
    equal([status, errors.code], [400, 'unsupported_method_override'])
  })

  test('a list of 10,000 values, which no URL can hold', async () => {
    const large = testApi(db, shop, { ...config, API_MAX_LIST: 10_000 })
    const values = Array.from({ length: 10_000 }, (_, i) => i + 2).join(',')
    const { status, value } = await query(large, '/api/books', `id__in=(${values})&order_by=id`)
    equal([status, value[0].id], [200, 2])
    const url = `/api/books?id__in=(${values})`
    equal((await send(large, 'GET', url)).status, 414)
    equal((await query(large, url, '')).status, 200)
    const small = testApi(db, shop, { API_BODY_LIMIT: 100, API_MAX_URL_LENGTH: 50 })
    const longer = await query(small, `/api/books?title__eq=${'x'.repeat(100)}`, '')
    equal([longer.status, longer.errors.reason.includes('API_BODY_LIMIT')], [414, true])
    equal((await query(small, `/api/books?title__eq=${'x'.repeat(50)}`, '')).status, 200)
  })
})
