/** A name of the base resource that also matches two joined self-references was refused as ambiguous. */
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('the name of the base resource in a join', (test, db) => {
  test.before(() => createShop(db))

  test('means the base, even if it matches several joined relations', async () => {
    const api = testApi(db, shop, { API_ALLOW_JOIN: true })
    const url = '/api/authors?join=mentor,pupils&join_type=left&authors.id__eq=2'
    equal(await column(api, url), [2])
  })

  test('is that of its table, endpoint or model, singular or plural, in any letter case', async () => {
    const api = testApi(db, shop, { API_ALLOW_JOIN: true })
    for (const name of ['authors', 'author', 'Author', 'AUTHORS', 'Authors']) {
      for (const url of [
        `/api/authors?${name}.id__eq=2`,
        `/api/authors?or[${name}.id__eq=2,id__eq=2]&order_by=-${name}.id&fields=${name}.id`,
        `/api/authors?join=books&join_type=left&${name}.id__eq=2`,
      ]) {
        equal(await column(api, url), [2], url)
      }
    }
    const { status } = await send(api, 'GET', '/api/authors?writers.id__eq=2')
    equal(status, 400)
  })
})
