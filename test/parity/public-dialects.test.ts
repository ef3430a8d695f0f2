/** The dialects of this package without their server functions and shortcuts: the responses are the same. */
import type { Api, Dialect } from '@model-api/core'
import { detectDialect } from '@model-api/core/internals'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { requestsAbout } from './requests.ts'
import { createSamples, fields, Sample } from './samples.ts'

/** The part that `Dialect` declares. */
function publicPart({ server: _, shortcuts: __, ...dialect }: InternalDialect): Dialect {
  return {
    ...dialect,
    connect: async (...about) => publicPart((await dialect.connect?.(...about)) ?? dialect),
  }
}

eachDatabase('dialects without internals', (test, db) => {
  let whole: Api
  let reduced: Api
  let answered = 0
  const models = [Sample, ...shop]

  test.before(async () => {
    await createSamples(db)
    await createWritableShop(db)
    const config = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
    whole = testApi(db, models, config)
    reduced = testApi(db, models, config, { dialect: publicPart(detectDialect(db.kysely)) })
    await Promise.all([whole.ready, reduced.ready])
  })

  const bytes = async (api: Api, url: string): Promise<string> => {
    const { text } = await api.answer({ method: 'GET', url, headers: {} })
    return String(text)
  }
  const isSame = async (url: string): Promise<void> => {
    const expected = await bytes(whole, url)
    equal(await bytes(reduced, url), expected, url)
    if (expected.includes('"status_code":200')) answered++
  }

  for (const field of fields) {
    test(`reads of ${field}`, async () => {
      for (const { url } of requestsAbout(field, true)) await isSame(url)
    })
  }

  test('embedded objects, pages and counts', async () => {
    for (const url of [
      '/api/books?dump=json&order_by=-id',
      '/api/books?dump=json&limit=2&page=2',
      '/api/authors?dump=json&books.dump=json&limit=2',
      '/api/authors/1/books?limit=1&page=2',
      '/api/tags/1/books?dump=json',
      '/api/books?exists(tags.name__startswith=s)',
      '/api/books?count=none&limit=1',
      '/api/order-lines?order_by=order_no,-line',
      '/api/books/1?dump=json',
    ]) {
      await isSame(url)
    }
  })

  test('most of the responses have a value', () => ok(answered > 200, String(answered)))

  test('writes', async () => {
    const written = async (api: Api): Promise<readonly unknown[]> => {
      const made = await send(api, 'POST', '/api/authors', { body: { name: 'Eve', country: 'IS' } })
      const url = `/api/authors/${made.value.id}`
      const { id: _, ...created } = made.value
      const changed = await send(api, 'PATCH', url, { body: { name: 'Eva' } })
      const twice = await send(api, 'POST', '/api/tags', { body: { name: 'sea' } })
      const again = await send(api, 'POST', '/api/tags', { body: { name: 'sea' } })
      await send(api, 'DELETE', `/api/tags/${twice.value?.id ?? 0}`)
      const removed = await send(api, 'DELETE', url)
      const gone = await get(api, url)
      return [
        [made.status, created.name, created.country],
        [changed.status, changed.value.name],
        [twice.status, again.status, removed.status, gone.status],
      ]
    }
    const expected = await written(whole)
    equal(await written(reduced), expected)
    equal(expected.at(-1), [201, 409, 200, 404])
  })
})
