/** Parameters that can have no effect were ignored instead of refused: unknown modes beside `fields`, and those of writes. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('no parameter is ignored', (test, db) => {
  test.before(() => createShop(db))

  for (const parameter of [
    'dump=nonsense',
    'dump_relationships=maybe',
    'max_affected=5',
    'cascade_delete=1',
    'on_conflict=title',
  ]) {
    test(`${parameter} is refused beside fields`, async () => {
      const { status, errors } = await get(testApi(db, shop), `/api/books?fields=id&${parameter}`)
      equal([status, errors.at], [400, parameter])
    })
  }

  test('a parameter of lists is refused by name on a single object', async () => {
    const { status, errors } = await get(testApi(db, shop), '/api/books/1?order_by=id')
    equal(status, 400)
    equal(
      errors.reason,
      '"order_by" cannot be used on a single object; it belongs to the collection.',
    )
  })
})
