/** Endpoints: paths, methods, aliases, keys, relation routes and mount prefixes, following the specification sentence by sentence. */
import { defineModel, hasMany, manyToMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, throws } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const lists = (allow: string | undefined): string[] => (allow ?? '').split(', ').sort()

eachDatabase('specification: generated resource endpoints', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('GET /api/<collection>: an array of resource objects', async () => {
    equal(await column(api, '/api/tags', 'name'), ['classic', 'food', 'science fiction'])
  })

  test('GET /api/<collection>/<id>: one resource object', async () => {
    equal((await read(api, '/api/tags/2')).name, 'food')
  })

  test('GET /api/<collection>/<id> takes dump, dump_relationships, join, include_deleted, fields', async () => {
    const url = '/api/books/1?dump=json&join=author&include_deleted=true&author.fields=name'
    equal((await read(api, url)).author, { name: 'Ann Archer' })
    equal(await read(api, '/api/books/1?fields=id,author.name&join=author'), {
      id: 1,
      name: 'Ann Archer',
    })
    equal('tags' in (await read(api, '/api/books/1?dump_relationships=false')), false)
  })

  test('GET one: filters, paging and groups are 400', async () => {
    for (const query of [
      'title__eq=Arrows',
      'or[id__eq=1,id__eq=2]',
      'exists(tags)',
      'page=1',
      'limit=1',
      'order_by=id',
      'groupby=id',
      'id__count=1',
      'count=none',
      'paging=cursor',
      'after=x',
    ]) {
      await refuses(api, `/api/books/1?${query}`, { says: ['single object'], code: 'not_here' })
      await refuses(
        api,
        `/api/books/1/author?${query.replace('title__eq', 'name__eq').replace('tags', 'books')}`,
        { code: 'not_here' },
      )
    }
  })

  test('GET /api/<collection>/<id>/<relation>: related records with the query language of lists', async () => {
    equal(await column(api, '/api/authors/3/books'), [3, 4])
    equal(await column(api, '/api/authors/3/books?price__gt=18'), [3])
    equal(await column(api, '/api/authors/3/books?order_by=-id&limit=1'), [4])
    equal((await succeeds(api, '/api/authors/3/books?limit=1')).total, 2)
    equal(await column(api, '/api/books/3/tags?name__like=c&fields=name', 'name'), [
      'classic',
      'science fiction',
    ])
    equal(await column(api, '/api/authors/3/books?join=tags&tags.name__eq=classic'), [3])
  })

  test('1 <collection> is the plural of the model name in the letter case of API_ENDPOINT_CASE', async () => {
    for (const [letterCase, path, relation] of [
      ['kebab', 'order-lines', 'order-lines'],
      ['snake', 'order_lines', 'order_lines'],
      ['camel', 'orderLines', 'orderLines'],
      ['pascal', 'OrderLines', 'OrderLines'],
    ] as const) {
      const cased = testApi(db, shop, { API_ENDPOINT_CASE: letterCase })
      equal((await read(cased, `/api/${path}`)).length, 3, letterCase)
      const books = letterCase === 'pascal' ? 'Books' : 'books'
      equal((await read(cased, `/api/${books}/1`)).order_lines, `/api/${books}/1/${relation}`)
      equal((await read(cased, `/api/${books}/1/${relation}`)).length, 2)
    }
    equal((await get(testApi(db, shop), '/api/order_lines')).status, 404)
  })

  test('1 Meta.endpoint sets an alternate prefix beside the canonical one', async () => {
    const other = testApi(db, withMeta(shop, 'Tag', { endpoint: 'topics' }))
    equal((await read(other, '/api/topics')).length, 3)
    equal((await read(other, '/api/tags/1')).name, 'classic')
    // URLs in responses are those of the canonical one.
    equal((await read(other, '/api/topics/1')).books, '/api/tags/1/books')
    equal((await read(other, '/api/topics/1/books'))[0].tags, '/api/books/1/tags')
  })

  test('2 Meta.allowed_methods restricts the methods a model exposes', async () => {
    const readOnly = testApi(db, withMeta(shop, 'Tag', { allowed_methods: ['GET'] }))
    equal((await get(readOnly, '/api/tags')).status, 200)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await send(readOnly, method, '/api/tags')
      equal([answer.status, answer.headers.allow], [405, 'GET, HEAD, QUERY, OPTIONS'], method)
      equal((await send(readOnly, method, '/api/tags/1')).status, 405)
    }
    const writeOnly = testApi(db, withMeta(shop, 'Tag', { allowed_methods: ['POST'] }))
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(writeOnly, method, '/api/tags')
      equal([answer.status, lists(answer.headers.allow).includes('GET')], [405, false])
    }
    const blocked = testApi(db, shop, { API_BLOCK_METHODS: ['GET'] })
    equal((await get(blocked, '/api/tags')).status, 405)
  })

  test('2 a relation is read by GET of its parent and GET of its target', async () => {
    const unread = { allowed_methods: ['POST', 'PATCH'] }
    for (const [name, url] of [
      ['Tag', '/api/books/1/tags'],
      ['Tag', '/api/tags/1/books'],
      ['Author', '/api/books/1/author'],
    ] as const) {
      const closed = testApi(db, withMeta(shop, name, unread))
      const answer = await get(closed, url)
      equal([answer.status, answer.headers.allow], [405, 'OPTIONS'], url)
      equal((await send(closed, 'OPTIONS', url)).headers.allow, 'OPTIONS')
      equal((await get(closed, '/api/books/1/order-lines')).status, 200)
    }
  })

  test('3 register_canonical_routes false with Meta.endpoint: only the alternate prefix', async () => {
    const meta = { endpoint: ['v1/topics', 'labels'], register_canonical_routes: false }
    const other = testApi(db, withMeta(shop, 'Tag', meta))
    equal((await get(other, '/api/tags')).status, 404)
    equal((await read(other, '/api/v1/topics/1')).books, '/api/v1/topics/1/books')
    equal((await read(other, '/api/labels/2')).name, 'food')
    const [book] = await read(other, '/api/books?dump=json&limit=1')
    equal(book.tags[0].books, '/api/v1/topics/1/books')
    equal(
      (await succeeds(other, '/api/labels?limit=1')).body.next_url,
      '/api/labels?limit=1&page=2',
    )
  })

  test('3 register_canonical_routes false alone: the host owns the URLs', async () => {
    const other = testApi(db, withMeta(shop, 'Tag', { register_canonical_routes: false }))
    equal((await get(other, '/api/tags')).status, 404)
    equal((await read(other, '/api/books/1/tags'))[0].name, 'classic')
  })

  test('6 soft-deleted records are included with include_deleted=true, which other models accept', async () => {
    equal((await read(api, '/api/tags?include_deleted=true')).length, 3)
  })
})

eachDatabase('contract: endpoints', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop)

  test('the singular is accepted on requests, emitted URLs use the plural', async () => {
    equal((await read(api, '/api/tag/1')).books, '/api/tags/1/books')
    equal((await read(api, '/api/order-line/A%2CB,1')).book, '/api/order-lines/A%2CB,1/book')
    equal((await read(api, '/api/tag')).length, 3)
  })

  test('two models that would share a name are a start-up error', () => {
    const columns = { id: { type: 'integer', primaryKey: true } } as const
    const one = defineModel('Tag', { columns, meta: {} })
    const two = defineModel('Topic', { table: 'tags', columns, meta: { endpoint: 'tags' } })
    throws(() => testApi(db, [one, two]), /tags/)
  })

  test('a relation segment is the relation key in endpoint case', async () => {
    equal(await column(api, '/api/books/1/order-lines', 'order_no'), ['2024/001', 'A,B'])
    equal((await read(api, '/api/books/1/editor')).name, 'bob Baker')
  })

  test('the target’s plural endpoint name is accepted too when unambiguous', async () => {
    equal((await read(api, '/api/order-lines/A%2CB,1/books')).title, 'Arrows')
    await refuses(api, '/api/books/1/authors', { status: 404 })
  })

  test('to-one relation routes answer one object, 404 when there is none', async () => {
    equal((await read(api, '/api/books/1/author')).name, 'Ann Archer')
    equal((await read(api, '/api/authors/3/profile')).motto, 'R.U.R.')
    await refuses(api, '/api/books/5/author', { status: 404, code: 'record_not_found' })
    await refuses(api, '/api/authors/2/profile', { status: 404, code: 'record_not_found' })
  })

  test('to-many: an existing parent without children is an empty list, a missing parent 404', async () => {
    const { value, total } = await succeeds(api, '/api/authors/4/books')
    equal([value, total], [[], 0])
    await refuses(api, '/api/authors/9/books', { status: 404 })
    await refuses(api, '/api/authors/x/books', { status: 404 })
    equal(await column(api, '/api/books/5/tags'), [])
  })

  test('an invalid query is 400 whether or not the record exists', async () => {
    await refuses(api, '/api/books/99?fields=nope')
    await refuses(api, '/api/authors/99/books?nope__eq=1')
  })

  test('HEAD is GET: the same status and headers', async () => {
    for (const url of [
      '/api/tags',
      '/api/tags/1',
      '/api/books/1/tags',
      '/api/tags/99',
      '/api/tags?page=0',
    ]) {
      const [one, other] = [await get(api, url), await send(api, 'HEAD', url)]
      equal([other.status, other.headers], [one.status, one.headers], url)
    }
  })

  test('OPTIONS is 204 with Allow, without a statement', async () => {
    await api.ready
    for (const url of ['/api/tags', '/api/tags/1', '/api/tags/99', '/api/books/1/tags']) {
      const { result, statements } = await db.capture(() => send(api, 'OPTIONS', url))
      equal([result.status, result.body, statements.length], [204, undefined, 0])
      const allow = lists(result.headers.allow)
      equal(
        [allow.includes('GET'), allow.includes('HEAD'), allow.includes('OPTIONS')],
        [true, true, true],
      )
    }
  })

  test('an unknown path under the prefix is 404, whatever the method', async () => {
    for (const url of [
      '/api/',
      '/api/nothing',
      '/api/tags/1/nothing',
      '/api/tags/1/books/2',
      '/api//tags',
      '/api/tags/',
      '/api/./tags',
      '/api/tags/..',
    ]) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        equal((await send(api, method, url)).status, 404, `${method} ${url}`)
      }
    }
  })

  test('a method that is not allowed is 405 with Allow', async () => {
    for (const method of ['PUT', 'TRACE', 'CONNECT', 'PROPFIND', 'NONSENSE']) {
      const answer = await send(api, method, '/api/tags/1')
      equal([answer.status, answer.errors.error], [405, 'Method Not Allowed'], method)
      equal(lists(answer.headers.allow).includes('GET'), true)
    }
  })

  test('paths match exactly and case-sensitively', async () => {
    for (const url of [
      '/API/tags',
      '/api/Tags',
      '/api/TAGS',
      '/api/books/1/Tags',
      '/xapi/tags',
      '/apix/tags',
    ]) {
      equal((await get(api, url)).status, 404, url)
    }
  })

  test('each segment is percent-decoded once', async () => {
    equal((await read(api, '/api/t%61gs/%31')).name, 'classic')
    equal((await get(api, '/api/t%2561gs/1')).status, 404)
    equal((await get(api, '/api/tags%2F1')).status, 404)
    equal((await get(api, '/api/tags/%zz')).status, 400)
    equal((await get(api, '/api/tags/%ff')).status, 400)
  })

  test('composite keys: values joined by a raw comma, each percent-encoded', async () => {
    equal((await read(api, '/api/order-lines/2024%2F001,2')).quantity, 1)
    equal((await read(api, '/api/order-lines/A%2CB,1')).quantity, 5)
    for (const url of [
      'A,B,1',
      '2024%2F001',
      '2024%2F001,2,3',
      '2024%2F001,x',
      ',',
      '2024%2F001,',
    ]) {
      equal((await get(api, `/api/order-lines/${url}`)).status, 404, url)
    }
    equal((await get(api, '/api/order-lines/2024/001,2')).status, 404)
    const urls = (await read(api, '/api/order-lines')).map((line: { book: string }) => line.book)
    equal(urls, [
      '/api/order-lines/2024%2F001,1/book',
      '/api/order-lines/2024%2F001,2/book',
      '/api/order-lines/A%2CB,1/book',
    ])
    for (const url of urls) equal((await get(api, url)).status, 200)
  })

  test('a string that cannot be a key is 404, without a statement', async () => {
    await api.ready
    for (const key of ['abc', '1.0', '9'.repeat(30), '%00', '1%20', '-']) {
      const { result, statements } = await db.capture(() => get(api, `/api/tags/${key}`))
      equal([result.status, statements.length], [404, 0], key)
    }
  })
})

eachDatabase('contract: prefixes and origins', (test, db) => {
  test.before(() => createShop(db))

  test('API_PREFIX', async () => {
    const api = testApi(db, shop, { API_PREFIX: '/rest/v2' })
    const { value, body } = await succeeds(api, '/rest/v2/tags?limit=1')
    equal(
      [value[0].books, body.next_url],
      ['/rest/v2/tags/1/books', '/rest/v2/tags?limit=1&page=2'],
    )
    equal((await get(api, '/api/tags')).status, 404)
    equal(
      [
        api.owns('/rest/v2/nothing'),
        api.owns('/rest/v2'),
        api.owns('/rest'),
        api.owns('/rest/v22/x'),
      ],
      [true, true, false, false],
    )
  })

  test('API_BASE_URL begins every emitted URL', async () => {
    const api = testApi(db, shop, { API_BASE_URL: 'https://shop.example' })
    const { value, body } = await succeeds(api, '/api/tags?limit=1&page=2')
    equal(value[0].books, 'https://shop.example/api/tags/2/books')
    equal(body.next_url, 'https://shop.example/api/tags?limit=1&page=3')
    equal(body.previous_url, 'https://shop.example/api/tags?limit=1&page=1')
  })

  test('unset: URLs are host-relative and carry the mount prefix', async () => {
    const api = testApi(db, shop)
    const { body } = await api.handle<{ books: string }[]>({
      method: 'GET',
      url: '/api/tags?limit=1',
      baseUrl: '/mounted',
    })
    equal(body?.value?.[0]?.books, '/mounted/api/tags/1/books')
    equal(body?.next_url, '/mounted/api/tags?limit=1&page=2')
  })

  test('no URL depends on the headers that name a host', async () => {
    const forwarded = {
      host: 'evil.example',
      forwarded: 'host=evil.example;proto=https',
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil.example',
      'x-original-url': '/api/books',
    }
    for (const config of [{}, { API_DUMP_ENVELOPE: false }]) {
      const api = testApi(db, shop, config)
      for (const url of [
        '/api/tags?limit=1',
        '/api/tags/1',
        '/api',
        '/openapi.json',
        '/api/nothing',
      ]) {
        const [plain, sent] = [await get(api, url), await get(api, url, forwarded)]
        equal([url, sent.status, sent.text], [url, plain.status, plain.text])
        equal([url, sent.headers], [url, plain.headers])
        equal(
          Object.keys(sent.headers).filter((name) => name.startsWith('access-control-')),
          [],
        )
      }
    }
  })

  test('URLs of a relation through keys that are not primary', async () => {
    const columns = {
      id: { type: 'integer', primaryKey: true },
      name: { type: 'string', unique: true },
    } as const
    const Tag = defineModel('Tag', {
      columns,
      relations: {
        namesakes: hasMany('Tag', 'name', { references: 'name' }),
        books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
      },
      meta: {},
    })
    const models = shop.map((model) => (model.name === 'Tag' ? Tag : model))
    const api = testApi(db, models)
    equal(await column(api, '/api/tags/2/namesakes', 'name'), ['food'])
    equal((await read(api, '/api/tags/2?dump=json')).namesakes[0].id, 2)
  })
})
