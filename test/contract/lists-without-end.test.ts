/**
 * Lists of thousands of names: repeated names bypassed the limit of a list; the database refused them, or they exhausted the
 * stack: 500.
 */
import { get, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('very long lists in queries', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_MAX_URL_LENGTH: 10_000_000,
    API_MAX_LIST: 10_000,
    API_MAX_CONDITIONS: 1000,
  })
  const many = (n: number, item: (i: number) => string): string =>
    Array.from({ length: n }, (_, i) => item(i)).join(',')

  test('repeated terms of order_by have no effect', async () => {
    const { status, value } = await get(api, `/api/tags?order_by=${many(400, () => '-name,id')}`)
    equal(status, 200)
    equal(
      value.map(({ id }: { id: number }) => id),
      [3, 2, 1],
    )
    const embedded = `/api/authors?dump=json&books.order_by=${many(800, () => '-title')}`
    equal((await get(api, embedded)).status, 200)
  })

  test('terms of order_by are counted like conditions, repeated ones too', async () => {
    for (const terms of ['order_by=', 'dump=json&books.order_by=']) {
      const { errors } = await get(api, `/api/authors?${terms}${many(1001, () => '-id')}`)
      match(errors.reason, 'API_MAX_CONDITIONS')
    }
  })

  test('items of a repeated parameter are counted together', async () => {
    const part = `fields=${many(6000, () => 'id')}`
    equal((await get(api, `/api/tags?${part}`)).status, 200)
    const { errors } = await get(api, `/api/tags?${part}&${part}`)
    match(errors.reason, 'API_MAX_LIST')
  })

  test('grouping keys are counted like conditions', async () => {
    const keys = (n: number) => `/api/tags?groupby=${many(n, (i) => `name|k${i}`)}`
    equal((await get(api, keys(500))).status, 200)
    const { errors } = await get(api, keys(2500))
    match(errors.reason, 'API_MAX_CONDITIONS')
  })

  test('join tokens are counted, whatever they name', async () => {
    equal((await get(api, `/api/books?join=${many(10_000, () => 'tags')}`)).status, 200)
    const { errors } = await get(api, `/api/books?join=${many(300_000, () => 'tags')}`)
    match(errors.reason, 'API_MAX_LIST')
  })
})
