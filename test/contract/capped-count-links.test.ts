/** With a capped count, the last page had a link to an empty next page. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop, Tag } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'

eachDatabase('capped counts', (test, db) => {
  test.before(async () => {
    await createShop(db)
    const rows = Array.from({ length: 10_001 }, (_, i) => ({ id: i + 100, name: `tag ${i}` }))
    await insertRows(db, Tag, rows)
  })

  test('stop at ten thousand, and link to the next page as long as rows follow', async () => {
    const api = testApi(db, shop, { API_PAGINATION_SIZE_MAX: 5000 })
    const page = (n: number) => get(api, `/api/tags?count=capped&fields=id&limit=5000&page=${n}`)
    const [second, third, fourth] = [await page(2), await page(3), await page(4)]
    equal([second.total, second.headers['x-total-count-capped']], [10_000, 'true'])
    equal(second.body.next_url, '/api/tags?count=capped&fields=id&limit=5000&page=3')
    equal([third.value.length, third.body.next_url], [4, null])
    equal([fourth.value.length, fourth.body.next_url], [0, null])
    // Where the last page stands is not known, so the page before is linked.
    equal(
      [third, fourth].map(({ body }) => body.previous_url),
      [2, 3].map((n) => `/api/tags?count=capped&fields=id&limit=5000&page=${n}`),
    )
  })
})
