/** API_LIST_ETAGS: the ETags of lists, the 304 for an unchanged page, and what changes an ETag. */
import type { ApiConfig } from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, match, notEqual } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { withMeta } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const on: ApiConfig = {
  API_LIST_ETAGS: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_JOIN: true,
  API_HTML_PAGES: false,
}

eachDatabase('ETags of lists', (test, db) => {
  test.before(() => createWritableShop(db))
  const clock = frozenClock()
  const api = testApi(db, shop, on, { clock })
  const tagOf = async (url: string, of = api): Promise<string> =>
    (await get(of, url)).headers.etag ?? ''

  test('lists, relations and groups have weak ETags; without the setting they have none', async () => {
    const lists = [
      '/api/books',
      '/api/books?page=2&limit=2',
      '/api/authors/1/books',
      '/api/authors/1/books?title__eq=none',
      '/api/books?groupby=author_id&id|n__count=1',
    ]
    for (const url of lists) match(await tagOf(url), /^W\/"[\w-]{32}"$/, url)
    match(await tagOf('/api/books/1'), /^"[\w-]{32}\.[\w-]{32}"$/)
    equal(await tagOf('/api/books', testApi(db, shop)), '')
    const one = testApi(db, withMeta(shop, 'Book', { list_etags: true }))
    match(await tagOf('/api/authors/1/books', one), /^W\//)
    equal(await tagOf('/api/tags', one), '')
  })

  test('304 without a body if the page is unchanged, although the time has changed', async () => {
    for (const url of ['/api/books?limit=2&count=none', '/api/authors/1/books']) {
      const first = await get(api, url)
      const { etag = '' } = first.headers
      clock.tick(1234)
      for (const condition of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
        const again = await get(api, url, { 'if-none-match': condition })
        equal([again.status, again.text, again.headers.etag], [304, '', etag], condition)
        equal(again.headers.vary, first.headers.vary)
      }
      equal((await get(api, url, { 'if-none-match': 'W/"0"' })).status, 200)
    }
  })

  test('HEAD and QUERY have the same ETags and preconditions', async () => {
    const url = '/api/books?title__ne=Emma'
    const etag = await tagOf(url)
    const head = await send(api, 'HEAD', url)
    equal(head.headers.etag, etag)
    const known = { 'if-none-match': etag }
    equal((await send(api, 'HEAD', url, { headers: known })).status, 304)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const asked = { headers: form, body: 'title__ne=Emma' }
    equal((await send(api, 'QUERY', '/api/books', asked)).headers.etag, etag)
    const headers = { ...form, ...known }
    equal((await send(api, 'QUERY', '/api/books', { ...asked, headers })).status, 304)
    const override = { ...headers, 'x-http-method-override': 'QUERY' }
    equal((await send(api, 'POST', '/api/books', { ...asked, headers: override })).status, 304)
  })

  test('the ETag depends on the rows, the total, the links and the form, and on nothing else', async () => {
    const url = '/api/tags?limit=2&order_by=name'
    const before = await tagOf(url)
    equal(await tagOf(url), before)
    notEqual(await tagOf('/api/tags?limit=2&order_by=-name'), before)
    notEqual(await tagOf(`${url}&fields=name`), before)
    const { value } = await send(api, 'POST', '/api/tags', { body: { name: 'zzz' } })
    const counted = await tagOf(url)
    notEqual(counted, before)
    const uncounted = await tagOf(`${url}&count=none`)
    await send(api, 'PATCH', `/api/tags/${value.id}`, { body: { name: 'zzzz' } })
    equal([await tagOf(url), await tagOf(`${url}&count=none`)], [counted, uncounted])
    await send(api, 'DELETE', `/api/tags/${value.id}`)
    equal(await tagOf(url), before)
    equal((await get(api, url, { 'if-none-match': counted })).status, 200)
  })

  test('a body as text and a body as an object have the same ETag', async () => {
    const request = { method: 'GET', url: '/api/books?dump=json', headers: {} }
    const [handled, answered] = [await api.handle(request), await api.answer(request)]
    equal(handled.headers.etag, answered.headers.etag)
  })

  test('the ETag depends on the return callback; with a final callback there is none', async () => {
    const returning = testApi(db, shop, { ...on, API_RETURN_CALLBACK: () => [] })
    notEqual(await tagOf('/api/books', returning), await tagOf('/api/books'))
    let told = 0
    const final = testApi(db, shop, {
      ...on,
      // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
      API_FINAL_CALLBACK: (body: any) => ({ ...body, told: ++told }),
    })
    const answer = await final.handle({
      method: 'GET',
      url: '/api/books',
      headers: { 'if-none-match': '*' },
    })
    equal([answer.status, answer.headers.etag], [200, undefined])
  })

  test('in a batch each operation has its own precondition; writes of lists have no ETag', async () => {
    const etag = await tagOf('/api/tags')
    const read = { method: 'GET', url: '/api/tags', headers: { 'if-none-match': etag } }
    const write = { method: 'POST', url: '/api/tags', body: { name: 'batched' } }
    const { value } = await sendBatch(api, [read, write, { ...read, id: 'z' }], { dry_run: true })
    equal(
      value.map(({ status }: { readonly status: number }) => status),
      [304, 201, 200],
    )
    const many = testApi(db, shop, { ...on, API_ALLOW_BULK: true })
    const body = [{ name: 'bulk' }]
    equal((await send(many, 'POST', '/api/tags', { body })).headers.etag, undefined)
    equal((await send(many, 'DELETE', '/api/tags?name__eq=bulk')).headers.etag, undefined)
  })

  test('callers who see different rows get different ETags, and private responses', async () => {
    const scoped = testApi(db, shop, {
      ...on,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers }) => ({ id: headers?.['x-user'] ?? 'none' }),
      API_ACCESS_POLICY: {
        scope_query: (
          query: { where: (...args: unknown[]) => unknown },
          { user }: { user: { id: string } },
        ) => (user.id === 'few' ? query.where('id', '<', 3) : query),
      } as never,
    })
    const as = (user: string, more: Record<string, string> = {}) =>
      get(scoped, '/api/books', { 'x-user': user, ...more })
    const [all, few] = [await as('all'), await as('few')]
    notEqual(few.headers.etag, all.headers.etag)
    const asked = await as('few', { 'if-none-match': all.headers.etag ?? '' })
    equal([asked.status, asked.total], [200, 2])
    equal([few.headers['cache-control'], few.headers.vary], ['private, no-cache', 'Authorization'])
    const known = await as('few', { 'if-none-match': few.headers.etag ?? '' })
    equal([known.status, known.headers['cache-control']], [304, 'private, no-cache'])
  })
})
