/** A relation filter over two steps finds the same when its prepared statement is executed again. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('a relation filter sent again', (test, db) => {
  test.before(() => createShop(db))

  const filters: Readonly<Record<string, readonly number[]>> = {
    'exists(tags.books.title__startswith=R)': [1, 3, 4],
    'exists(tags.books.author.name__startswith=Č)': [1, 3, 4],
    'missing(tags.books.author.name__startswith=Č)': [2, 5],
    'join=tags.books&or[tags.name__eq=food,tags.books.author_id__eq=3]': [1, 2, 3, 4],
  }
  for (const [query, ids] of Object.entries(filters)) {
    test(query, async () => {
      const api = testApi(db, shop, { API_ALLOW_JOIN: true })
      for (let time = 0; time < 4; time++) {
        const { value } = await get(api, `/api/books?${query}`)
        equal(
          value.map(({ id }: { id: number }) => id),
          ids,
        )
      }
    })
  }
})
