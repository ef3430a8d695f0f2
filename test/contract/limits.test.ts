/** Request limits: each refuses a request just above it with its own name, and accepts one within it. */
import { type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, throws } from '../support/assert.ts'
import { read, refuses, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

eachDatabase('contract: request limits', (test, db) => {
  test.before(() => createShop(db))
  const api = (config: ApiConfig = {}) => testApi(db, shop, { API_ALLOW_JOIN: true, ...config })
  const times = (n: number, text: string, glue: string) =>
    Array.from({ length: n }, () => text).join(glue)

  test('API_MAX_URL_LENGTH: 414', async () => {
    const url = `/api/books?title__eq=${'x'.repeat(8192)}`
    await refuses(api(), url, {
      status: 414,
      error: 'URI Too Long',
      says: ['API_MAX_URL_LENGTH', '8192'],
    })
    equal((await get(api(), url.slice(0, 1000))).status, 200)
    equal((await get(api({ API_MAX_URL_LENGTH: 9000 }), url)).status, 200)
    await refuses(api({ API_MAX_URL_LENGTH: 20 }), '/api/books?title__eq=x', { status: 414 })
    equal((await get(api({ API_MAX_URL_LENGTH: 22 }), '/api/books?title__eq=x')).status, 200)
  })

  test('API_MAX_CONDITIONS: filters, relation filters and aggregates, nested ones included', async () => {
    equal((await read(api(), `/api/books?${times(100, 'id__gt=0', '&')}`)).length, 5)
    await refuses(api(), `/api/books?${times(101, 'id__gt=0', '&')}`, {
      says: ['API_MAX_CONDITIONS', '100'],
    })
    await refuses(api(), `/api/books?or[${times(101, 'id__gt=0', ',')}]`, {
      says: ['API_MAX_CONDITIONS'],
    })
    const two = api({ API_MAX_CONDITIONS: 2 })
    equal((await read(two, '/api/books?exists(tags.id__gt=0)')).length, 4)
    await refuses(two, '/api/books?exists(tags.id__gt=0,id__gt=0)', {
      says: ['API_MAX_CONDITIONS', '2'],
    })
  })

  test('API_MAX_LIST: items of a list', async () => {
    const list = (n: number) => `/api/books?id__in=(${times(n, '1', ',')})`
    const asked = api()
    // The plan is cached for lists of similar length.
    for (let i = 0; i < 3; i++) equal((await read(asked, list(1000))).length, 1)
    await refuses(asked, list(1001), { says: ['API_MAX_LIST', '1000'] })
    const three = api({ API_MAX_LIST: 3 })
    equal((await read(three, '/api/books?fields=id,title,price')).length, 5)
    await refuses(three, '/api/books?fields=id,title,price,rating', { says: ['API_MAX_LIST', '3'] })
    const grouping = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true, API_MAX_LIST: 3 }
    for (const name of ['join=author', 'order_by=id', 'groupby=id', 'aggregate=id__count']) {
      const [key = '', item = ''] = name.split('=')
      await refuses(api(grouping), `/api/books?${key}=${times(4, item, ',')}`, {
        says: ['API_MAX_LIST', '3'],
      })
    }
    await refuses(three, `/api/books?${times(4, 'order_by=id', '&')}`, {
      says: ['API_MAX_LIST', '3'],
    })
    equal((await read(three, '/api/books?join=author,author,author')).length, 4)
  })

  test('API_MAX_JOINS: joined relations, implied ones included', async () => {
    const two = api({ API_MAX_JOINS: 2 })
    equal((await read(two, '/api/books?join=author,tags')).length, 4)
    equal((await read(two, '/api/books?join=author,tags,author')).length, 4)
    await refuses(two, '/api/books?join=author,tags,order_lines', { says: ['API_MAX_JOINS', '2'] })
    await refuses(two, '/api/books?join=author.mentor.profile', { says: ['API_MAX_JOINS'] })
  })

  test('API_MAX_RELATION_FILTERS: relations that exists and missing follow, counted each time', async () => {
    const both = 'exists(author.mentor)&missing(tags.books)'
    equal((await get(api(), `/api/books?${times(10, 'exists(tags)', '&')}`)).status, 200)
    await refuses(api(), `/api/books?${times(11, 'exists(tags)', '&')}`, {
      says: ['API_MAX_RELATION_FILTERS', '10'],
    })
    equal((await get(api({ API_MAX_RELATION_FILTERS: 4 }), `/api/books?${both}`)).status, 200)
    await refuses(api({ API_MAX_RELATION_FILTERS: 3 }), `/api/books?${both}`, {
      says: ['API_MAX_RELATION_FILTERS', '3'],
    })
  })

  test('API_MAX_DEPTH: relations one path may follow', async () => {
    const two = api({ API_MAX_DEPTH: 2 })
    equal((await get(two, '/api/books?join=author.mentor')).status, 200)
    await refuses(two, '/api/books?join=author.mentor.mentor', { says: ['API_MAX_DEPTH', '2'] })
    await refuses(two, '/api/books?exists(author.mentor.mentor)', { says: ['API_MAX_DEPTH'] })
    await refuses(api(), '/api/authors?exists(mentor.mentor.mentor.mentor.mentor)', {
      says: ['API_MAX_DEPTH', '4'],
    })
  })

  test('API_MAX_EMBEDDED_ROWS: 400, with advice how to reduce them', async () => {
    const six = api({ API_MAX_EMBEDDED_ROWS: 6 })
    await refuses(six, '/api/books?dump=json', { says: ['API_MAX_EMBEDDED_ROWS', '6', 'limit='] })
    equal((await read(six, '/api/books?dump=json&order_lines.limit=1&tags[id__eq=1]')).length, 5)
    equal((await read(six, '/api/books?dump=hybrid')).length, 5)
  })

  test('groups nest 32 levels deep', async () => {
    const nested = (n: number) => `/api/books?${'not['.repeat(n)}id__eq=1${']'.repeat(n)}`
    equal((await get(api(), nested(32))).status, 200)
    await refuses(api(), nested(33), { says: ['32'] })
    await refuses(api(), nested(1000))
  })

  test('a search string has 1000 characters at most', async () => {
    equal((await get(api(), `/api/books?title__ilike=${'x'.repeat(1000)}`)).status, 200)
    await refuses(api(), `/api/books?title__like=${'x'.repeat(1001)}`, { says: ['1000'] })
  })

  test('limits may be set per model', async () => {
    const one = testApi(db, withMeta(shop, 'Book', { max_conditions: 1 }))
    await refuses(one, '/api/books?id__gt=0&id__lt=9', { says: ['API_MAX_CONDITIONS', '1'] })
    equal((await get(one, '/api/tags?id__gt=0&id__lt=9')).status, 200)
    const meta = {
      max_list: 2,
      max_joins: 1,
      max_depth: 2,
      max_relation_filters: 3,
      max_embedded_rows: 4,
    }
    const book = testApi(db, withMeta(shop, 'Book', meta), { API_ALLOW_JOIN: true })
    for (const [key, most, over, within, ofOther] of [
      ['API_MAX_LIST', 2, 'id__in=(1,2,3)', 'id__in=(1,2)', 'tags?id__in=(1,2,3)'],
      ['API_MAX_JOINS', 1, 'join=author,tags', 'join=author', 'authors?join=mentor,pupils'],
      [
        'API_MAX_DEPTH',
        2,
        'exists(author.mentor.mentor)',
        'exists(author.mentor)',
        'authors?exists(mentor.mentor.mentor)',
      ],
      [
        'API_MAX_RELATION_FILTERS',
        3,
        'exists(author)&missing(author.mentor)&exists(author)',
        'exists(author)&missing(author.mentor)',
        'authors?exists(books)&exists(mentor)&exists(pupils)&exists(profile)',
      ],
      ['API_MAX_EMBEDDED_ROWS', 4, 'dump=json', 'dump=json&id__in=(1,2)', 'tags?dump=json'],
    ] as const) {
      await refuses(book, `/api/books?${over}`, { says: [key, String(most)] })
      equal((await get(book, `/api/books?${within}`)).status, 200, within)
      equal((await get(book, `/api/${ofOther}`)).status, 200, ofOther)
    }
    await refuses(book, '/api/authors/3/books?join=author,tags', { says: ['API_MAX_JOINS', '1'] })
  })

  test('an invalid limit is a start-up error', () => {
    for (const value of [0, -1, 1.5, '10', 1e9]) {
      throws(() => api({ API_MAX_CONDITIONS: value as number }), 'API_MAX_CONDITIONS')
    }
  })

  test('JSON: levels and keys, in every body that is read, as text or parsed by the host', async () => {
    const config = { API_ALLOW_BATCH: true, API_ALLOW_BULK: true, API_ALLOW_NESTED_WRITES: true }
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
    const wide = (keys: number): unknown =>
      Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))
    const on = api(config)
    const bodies: Readonly<Record<string, (value: unknown) => readonly [string, string, unknown]>> =
      {
        'a record': (value) => ['POST', '/api/books', { title: value }],
        'a list of records': (value) => ['POST', '/api/books', [{ title: value }]],
        'a nested record': (value) => ['POST', '/api/books', { author: { name: value } }],
        'an unknown field': (value) => ['PATCH', '/api/books/1', { nothing: value }],
        'a batch': (value) => ['POST', '/api/batch', { operations: value }],
        'a record in a batch': (value) => [
          'POST',
          '/api/batch',
          { operations: [{ id: 'a', method: 'POST', url: '/api/books', body: { title: value } }] },
        ],
      }
    for (const [what, ask] of Object.entries(bodies)) {
      for (const [value, says] of [
        [deep(40), 'is nested deeper than 32 levels'],
        [wide(1001), 'has an object of more than 1000 keys'],
      ] as const) {
        const [method, url, body] = ask(value)
        for (const sent of [JSON.stringify(body), body]) {
          for (const type of ['application/json', 'application/merge-patch+json']) {
            if (type.includes('merge') && method !== 'PATCH') continue
            const headers = { 'content-type': type }
            const { statements, result } = await db.capture(() =>
              on.handle({ method, url, headers, body: sent as string }),
            )
            const { status, body: answer } = result
            const { reason } = (answer?.errors ?? {}) as { reason?: unknown }
            const about = `${what}, ${typeof sent}, ${type}: ${JSON.stringify(reason)}`
            equal([status, statements.length], [400, 0], about)
            equal(String(reason).includes(says), true, about)
          }
        }
      }
    }
    const parsed = {
      method: 'POST',
      url: '/api/books',
      headers: { 'content-type': 'application/json' },
    }
    // A million levels, whose text is not the problem of JSON.parse but of whoever follows them by recursion.
    const text = `{"title":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    equal((await on.handle({ ...parsed, body: text })).status, 400)
    equal((await on.handle({ ...parsed, body: { title: deepest(400_000) } as never })).status, 400)
  })
})

const Wide = defineModel('Wide', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime', nullable: true },
    name: { type: 'string', maxLength: 20, nullable: true },
    price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
    parent_id: { type: 'integer', nullable: true },
  },
  relations: { parent: belongsTo('Wide', 'parent_id'), children: hasMany('Wide', 'parent_id') },
  meta: {},
})

eachDatabase('contract: limits are below those of the databases', (test, db) => {
  test.before(async () => {
    await createTables(db, [Wide])
    await insertRows(db, Wide, [
      { id: 1, at: '2024-01-01T00:00:00.000Z', name: 'a', price: '1.00', parent_id: 1 },
    ])
  })
  const api = testApi(db, [Wide], {
    API_MAX_URL_LENGTH: 1_000_000,
    API_MAX_CONDITIONS: 1000,
    API_MAX_LIST: 1000,
  })
  const many = (n: number, item: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => item(i)).join(',')

  test('lists of a thousand values of every kind', async () => {
    const day = (i: number) => new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
    for (const list of [
      `id__in=(${many(1000, (i) => String(i))})`,
      `name__in=(${many(1000, (i) => `a${i || ''}`)})`,
      `price__in=(${many(1000, (i) => `${i}.00`)})`,
      `at__in=(${many(1000, day)})`,
    ]) {
      equal((await read(api, `/api/wides?${list}`)).length, 1, list.slice(0, 20))
      equal(
        (await read(api, `/api/wides?${list.replace('__in', '__nin')}`)).length,
        0,
        list.slice(0, 20),
      )
    }
  })

  test('groups of a thousand conditions', async () => {
    for (const kind of ['or', 'and', 'not']) {
      const url = `/api/wides?${kind}[${many(1000, (i) => `id__eq=${i}`)}]`
      equal((await get(api, url)).status, 200, kind)
    }
    const filters = Array.from({ length: 1000 }, (_, i) => `name__ilike=${i % 2 ? 'a' : 'A'}`).join(
      '&',
    )
    equal((await read(api, `/api/wides?${filters}`)).length, 1)
  })

  test('a thousand conditions on related rows', async () => {
    const others = (n: number) => many(n, (i) => `id__ne=${i + 2}`)
    for (const relation of ['children', 'parent']) {
      for (const [condition, length] of [
        [`exists(${relation}.${others(999)})`, 1],
        [`exists(${relation}.${relation}.${others(999)})`, 1],
        [`exists(${relation}.${others(499)})&exists(${relation}.${others(499)})`, 1],
        [`exists(${relation}.${others(998)},id__ne=1)`, 0],
        [`missing(${relation}.${others(999)})`, 0],
      ] as const) {
        const rows = await read(api, `/api/wides?${condition}`)
        equal(rows.length, length, condition.slice(0, 40))
      }
    }
  })
})

/** A list of that many levels, made without recursion. */
function deepest(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}
