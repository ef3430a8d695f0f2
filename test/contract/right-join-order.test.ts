/** A right join returns rows without a base record; their order was undefined, so that pages overlapped. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('right join', (test, db) => {
  test.before(() => createShop(db))

  test('orders rows without a base record by the key of the joined table', async () => {
    const api = testApi(db, shop, { API_ALLOW_JOIN: true })
    const url = '/api/books?join=editor&join_type=right&fields=id,editor.name&limit=2'
    const pages = []
    for (const page of [1, 2, 3]) pages.push(...(await get(api, `${url}&page=${page}`)).value)
    equal(pages, [
      { id: 1, name: 'bob Baker' },
      { id: 2, name: 'Ann Archer' },
      { id: 4, name: 'bob Baker' },
      { id: null, name: 'Čapek, Karel' },
      { id: null, name: 'Zoë' },
    ])
  })
})
