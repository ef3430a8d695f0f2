/** The number of statements for a read: it depends on the form of the request, never on the number of rows (docs/reference/query-language.md). */
import type { ApiConfig } from '@model-api/core'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import {
  apiKey,
  apiKeys,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
} from '../auth/people.ts'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { costTable, expectedCosts } from '../support/costs.ts'
import { withMeta } from '../support/expect.ts'
import { insertAuthors } from '../support/many-authors.ts'
import { shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

/**
 * A page of `limit=300` is not full, so it shows the total itself. A page of `limit=1` is full, so the total is counted
 * inside the statement; only SQLite counts it by a separate statement, unless the list is the whole table.
 */
const table = costTable(`
  request                                                                   | sqlite | postgres | mysql
  a page
  GET /api/authors?limit=300                                                |      1 |        1 |     1
  GET /api/authors?limit=1                                                  |      1 |        1 |     1
  GET /api/authors?limit=1&count=none                                       |      1 |        1 |     1
  GET /api/authors?limit=1&count=capped                                     |      1 |        1 |     1
  GET /api/authors?limit=1&paging=cursor                                    |      1 |        1 |     1
  GET /api/authors?limit=1&paging=cursor&count=none                         |      1 |        1 |     1
  HEAD /api/authors?limit=300                                               |      1 |        1 |     1
  one record
  GET /api/authors/1                                                        |      1 |        1 |     1
  GET /api/authors/1?dump=json                                              |      5 |        5 |     5
  conditions, also over relations
  GET /api/books?limit=300&author_id__in=(1,2)&or[id__gt=0,title__like=x]   |      1 |        1 |     1
  GET /api/books?limit=300&exists(author.books.tags.id__gt=0)               |      1 |        1 |     1
  GET /api/authors?limit=300&missing(books.tags.name__eq=none)              |      1 |        1 |     1
  GET /api/books?limit=300&join=author&author.id__gt=0&order_by=author.name |      1 |        1 |     1
  GET /api/authors?limit=300&join=books&books.id__gt=0                      |      1 |        1 |     1
  GET /api/authors?limit=1&join=books&books.id__gt=0                        |      2 |        1 |     1
  columns and groups
  GET /api/books?limit=300&fields=id,title                                  |      1 |        1 |     1
  GET /api/books?limit=300&join=author&fields=id,author.name                |      1 |        1 |     1
  GET /api/books?limit=300&groupby=author_id&id__count=1                    |      1 |        1 |     1
  GET /api/books?limit=1&groupby=author_id&id__count=1                      |      2 |        1 |     1
  GET /api/books?id__count=1&sold__sum=1                                    |      1 |        1 |     1
  one embedded relation: to-one both ways, to-many, many-to-many
  GET /api/books?limit=300&join=author&dump=dynamic                         |      2 |        2 |     2
  GET /api/authors?limit=300&join=profile&dump=dynamic                      |      2 |        2 |     2
  GET /api/authors?limit=300&join=books&dump=dynamic                        |      2 |        2 |     2
  GET /api/authors?limit=1&join=books&dump=dynamic                          |      3 |        2 |     2
  GET /api/authors?limit=300&join=books&dump=dynamic&books.limit=1          |      2 |        2 |     2
  GET /api/authors?limit=300&join=books&dump=dynamic&books[id__gt=0]        |      2 |        2 |     2
  GET /api/books?limit=300&join=tags&dump=dynamic                           |      2 |        2 |     2
  several, beside and below each other
  GET /api/books?limit=300&join=author,editor,tags&dump=dynamic             |      4 |        4 |     4
  GET /api/authors?limit=300&join=books.tags&dump=dynamic                   |      3 |        3 |     3
  GET /api/authors?limit=300&join=books.order_lines,books.tags&dump=dynamic |      4 |        4 |     4
  GET /api/books?limit=300&dump=hybrid                                      |      3 |        3 |     3
  GET /api/books?limit=300&dump=json                                        |      5 |        5 |     5
  a relation
  GET /api/authors/1/books?limit=300                                        |      2 |        2 |     2
  GET /api/authors/1/books?limit=300&join=tags&dump=dynamic                 |      3 |        3 |     3
  GET /api/books/1/tags?limit=300                                           |      2 |        2 |     2
  GET /api/books/1/author                                                   |      2 |        2 |     2
  nothing to read
  GET /api/authors/999999                                                   |      1 |        1 |     1
  GET /api/authors?nope__eq=1                                               |      0 |        0 |     0
  GET /api/nothing                                                          |      0 |        0 |     0
  OPTIONS /api/authors                                                      |      0 |        0 |     0
  GET /docs/apispec.json                                                    |      0 |        0 |     0
`)

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_PAGINATION_SIZE_MAX: 300,
}

const policy: AccessPolicy = { scope_query: (query) => query, can_read: () => true }
const guardedShop = shop.reduce(
  (models, { name, meta }) =>
    meta === undefined ? models : withMeta(models, name, { access_policy: policy }),
  shop,
)

eachDatabase('statements of a read', (test, db) => {
  const api = testApi(db, shop, config)
  const guarded = testApi(db, guardedShop, {
    ...config,
    API_FILTER_CALLBACK: (query) => query,
  })
  const costs = new Map<typeof api, string[][]>([
    [api, []],
    [guarded, []],
  ])

  test.before(async () => {
    await createTables(db, shop)
    for (const [from, count] of [
      [1, 1],
      [2, 99],
    ] as const) {
      await insertAuthors(db, from, count)
      for (const [served, measured] of costs) {
        await served.ready
        measured.push(await measure(served))
      }
    }
  })

  async function measure(served: typeof api): Promise<string[]> {
    const lines: string[] = []
    for (const { request } of table) {
      const [method = '', url = ''] = request.split(' ')
      const { statements } = await db.capture(() => served.handle({ method, url, headers: {} }))
      lines.push(`${statements.length}: ${request}`)
    }
    return lines
  }

  test('their number depends on the shape of the request', () => {
    equal(costs.get(api)?.at(-1), expectedCosts(table, db.engine))
  })

  test('a hundred authors with their books take as many statements as one', () => {
    for (const [one, hundred] of costs.values()) equal(hundred, one)
  })

  test('policies and filter callbacks add none', () => {
    equal(costs.get(guarded)?.at(-1), expectedCosts(table, db.engine))
  })
})

eachDatabase('statements of authentication', (test, db) => {
  const { api } = peopleApi(db, {
    ...jwtKeys,
    API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
    API_CREDENTIAL_HASH_FIELD: 'key_hash',
    API_AUTH_REQUIREMENTS: { GET: true },
  })
  test.before(() => createPeople(db))

  test('the user is looked up once, by any strategy', async () => {
    const token = (await login(api, 'ann')).value.access_token
    const costs: [number, number][] = []
    for (const headers of [
      {},
      bearer(token),
      basic('ann', passwords.ann ?? ''),
      apiKey(apiKeys.ann ?? ''),
    ]) {
      const ask = () => api.handle({ method: 'GET', url: '/api/books', headers })
      const { result, statements } = await db.capture(ask)
      costs.push([result.status, statements.length])
    }
    equal(costs, [
      [401, 0],
      [200, 2],
      [200, 2],
      [200, 2],
    ])
  })
})
