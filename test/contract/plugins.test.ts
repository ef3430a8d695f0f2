/** A Kysely instance with plugins: statements of the API bypass them, queries of policies and callbacks do not. */
import type { AnyModel, ApiConfig } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import {
  CamelCasePlugin,
  DeduplicateJoinsPlugin,
  type KyselyPlugin,
  ParseJSONResultsPlugin,
} from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { bearer, createPeople, jwtKeys, login, peopleApi, refresh } from '../auth/people.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read, withMeta } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { printStatements, type Statement } from '../support/statements.ts'
import { eachDatabase } from '../support/suite.ts'

const everything: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
}

/** Every kind of read: the effect of a plugin would be visible in one of the responses. */
const reads: readonly string[] = [
  '/api/books',
  '/api/books?dump=json',
  '/api/books/1?dump=json',
  '/api/books/1/order-lines',
  '/api/books/1/author',
  '/api/authors?dump=json&order_by=-bornOn',
  '/api/authors?bornOn__lt=1980-01-01&fields=bornOn,name,initial',
  '/api/books?join=author,tags&author.bornOn__ge=1900-01-01&order_by=-author.bornOn',
  '/api/books?exists(order_lines.quantity__gt=1)',
  '/api/books?missing(order_lines)',
  '/api/books?groupby=in_stock,author_id&price|total_price__sum=1&id__count=1',
  '/api/books?join=author&groupby=author.bornOn&sold__max=1&order_by=-sold_max',
  '/api/order-lines?order_no__eq=A,B',
  '/api/order-lines?paging=cursor&limit=1&order_by=-quantity',
  '/api/books?limit=2&page=2&count=none',
]

eachDatabase('contract: plugins of the Kysely instance', (test, db) => {
  test.before(() => createWritableShop(db))
  const spy = spyPlugin()
  const kysely = db.kysely
    .withPlugin(new CamelCasePlugin())
    .withPlugin(new ParseJSONResultsPlugin())
    .withPlugin(new DeduplicateJoinsPlugin())
    .withPlugin(spy.plugin)
  const plain = testApi(db, shop, everything)
  const plugged = testApi(db, shop, everything, { db: kysely })

  test('reads run without them: the same bytes in the same statements', async () => {
    await plain.ready
    await plugged.ready
    for (const url of reads) {
      const expected = await db.capture(() => get(plain, url))
      const actual = await db.capture(() => get(plugged, url))
      equal(expected.result.status, 200, `${url}: ${expected.result.text}`)
      equal(actual.result.text, expected.result.text)
      equal(sorted(actual.statements), sorted(expected.statements))
    }
    equal(spy.seen(), { queries: 0, results: 0 })
  })

  test('writes run without them, and leave the names inside JSON unchanged', async () => {
    const details = { snake_key: { inner_key: [{ deep_key: 1 }] }, camelKey: 2 }
    const author = { name: 'New', bornOn: '1950-05-05', profile: { motto: 'a_b' } }
    const created = await send(plugged, 'POST', '/api/books', {
      body: { title: 'New', in_stock: true, details, author },
    })
    equal(created.status, 201, created.text)
    equal(created.value.details, details)
    const url = created.headers.location ?? ''
    const changed = await send(plugged, 'PATCH', url, { body: { published_at: null, details } })
    equal([changed.status, changed.value.details], [200, details])
    const owner = `/api/authors/${created.value.author_id}`
    equal((await read(plain, owner)).bornOn, '1950-05-05')
    const line = { order_no: 'plug_in', line: 1, book_id: created.value.id, quantity: 1 }
    equal((await send(plugged, 'POST', '/api/order-lines', { body: [line] })).status, 201)
    equal((await send(plugged, 'DELETE', url)).status, 409)
    equal((await send(plugged, 'DELETE', `${url}?cascade_delete=1`)).status, 200)
    equal((await send(plugged, 'DELETE', `${owner}?cascade_delete=1`)).status, 200)
    equal(await read(plain, '/api/order-lines?order_no__eq=plug_in'), [])
    equal(spy.seen(), { queries: 0, results: 0 })
  })

  test('the table of idempotency keys is created and read without them', async () => {
    const post = () =>
      send(plugged, 'POST', '/api/tags', {
        body: { name: 'once' },
        headers: { 'idempotency-key': 'a-key-of-sixteen-or-more' },
      })
    const first = await post()
    equal(first.status, 201)
    equal((await post()).text, first.text)
    equal((await db.kysely.selectFrom('idempotency_keys').select('claimed_at').execute()).length, 1)
    equal(spy.seen(), { queries: 0, results: 0 })
  })

  test('a policy’s query has them, wherever rows of its model are read', async () => {
    const narrowed = testApi(db, scopedBooks('in_stock', 'author_id'), everything)
    const camel = testApi(db, scopedBooks('inStock', 'authorId'), everything, { db: kysely })
    const urls = [...reads, '/api/authors?dump=json&join=books', '/api/authors/3?dump=json']
    for (const url of urls) {
      const expected = await get(narrowed, url)
      equal(expected.status, 200, `${url}: ${expected.text}`)
      const before = spy.seen()
      const actual = await get(camel, url)
      equal([actual.status, actual.text], [expected.status, expected.text], url)
      const { queries, results } = spy.seen()
      const readsBooks = /books|dump=json/.test(url)
      equal([queries > before.queries, results], [readsBooks, 0], url)
    }
  })

  test('a policy’s query has them in look-ups of writes', async () => {
    const camel = testApi(db, scopedBooks('inStock', 'authorId'), everything, { db: kysely })
    equal((await send(camel, 'PATCH', '/api/books/2', { body: { rating: 1 } })).status, 404)
    equal((await send(camel, 'DELETE', '/api/books/2')).status, 404)
    equal((await send(camel, 'PATCH', '/api/books/1', { body: { rating: 4.5 } })).status, 200)
    const bulk = await send(camel, 'PATCH', '/api/books?id__in=(1,2)', { body: { rating: 4.5 } })
    equal([bulk.status, bulk.value.map(({ id }: { id: number }) => id)], [200, [1]], bulk.text)
  })

  test('a policy’s query with columns, joins and subqueries of its own has them, too', async () => {
    const policy: AccessPolicy = {
      scope_query: () =>
        kysely
          .selectFrom('authors')
          .innerJoin('books', 'books.authorId', 'authors.id')
          .select(['authors.id', 'authors.name', 'authors.country', 'authors.bornOn'])
          .select(['authors.mentorId', 'authors.secret'])
          .where('books.publishedAt', 'is', null)
          .where('authors.id', 'in', kysely.selectFrom('books').select('authorId')),
    }
    const models = withMeta(shop, 'Author', { access_policy: policy })
    const api = testApi(db, models, everything, { db: kysely })
    const [author, ...others] = await read(api, '/api/authors')
    equal([author.id, author.bornOn, author.mentor_id, others], [3, '1890-01-09', 1, []])
  })

  test('a filter callback’s query has them', async () => {
    const models = withMeta(shop, 'Book', {
      // biome-ignore lint/suspicious/noExplicitAny: the query builder of any database
      filter_callback: (query: any) => query.where('inStock', '=', db.name === 'postgres' || 1),
    })
    const api = testApi(db, models, everything, { db: kysely })
    const { value, total } = await get(api, '/api/books')
    equal([value.map(({ id }: { id: number }) => id), total], [[1, 3, 4], 3])
  })
})

eachDatabase('contract: plugins elsewhere', (test, db) => {
  const spy = spyPlugin()
  const kysely = db.kysely.withPlugin(new CamelCasePlugin()).withPlugin(spy.plugin)
  test.before(() => createPeople(db))

  test('users are found, and refresh tokens are stored, without them', async () => {
    const { api, errors } = peopleApi(db, jwtKeys, { db: kysely })
    const { status, value } = await login(api, 'ann')
    equal(status, 200)
    const me = await get(api, '/auth/me', bearer(value.access_token))
    equal([me.status, me.value.name, me.value.roles], [200, 'ann', ['admin']])
    const next = await refresh(api, value.refresh_token)
    equal([next.status, (await refresh(api, value.refresh_token)).status], [200, 403])
    equal(await api.refreshTokens.revoke(next.value.refresh_token), false)
    equal([errors, spy.seen()], [[], { queries: 0, results: 0 }])
  })

  test('introspect reads the names of the database', async () => {
    equal(await introspect(kysely), await introspect(db.kysely))
    equal(spy.seen(), { queries: 0, results: 0 })
  })
})

/** Only books in stock; the names are spelt as the policy's Kysely instance expects them. */
function scopedBooks(inStock: string, authorId: string): readonly AnyModel[] {
  const policy: AccessPolicy = {
    scope_query: (query) =>
      query.where(inStock, 'is not', null).where(inStock, '<>', 0).where(authorId, '>', 0),
  }
  return withMeta(shop, 'Book', { access_policy: policy })
}

/** Relations of one level are read concurrently, so the order of their statements may vary. */
const sorted = (statements: readonly Statement[]): readonly string[] =>
  statements.map((statement) => printStatements([statement])).sort()

/** A plugin that changes nothing and counts its calls. */
function spyPlugin() {
  const seen = { queries: 0, results: 0 }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      seen.queries += 1
      return node
    },
    transformResult: async ({ result }) => {
      seen.results += 1
      return result
    },
  }
  return { plugin, seen: () => ({ ...seen }) }
}
