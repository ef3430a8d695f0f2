/** A relation key in another case was ambiguous if a second relation has the same target. */
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, refuses } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('a relation key', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  for (const join of ['tags,%20author', 'TAGS,AUTHOR', 'tags,+Author+']) {
    test(`matches exactly in join=${join}`, async () => {
      equal(await column(api, `/api/books?join=${join}&author.id__eq=3`), [3, 4])
    })
  }

  test('in the plural matches a relation with that target', async () => {
    await refuses(api, '/api/books?join=tags,%20authors', { error: 'Invalid join model: authors' })
  })
})
