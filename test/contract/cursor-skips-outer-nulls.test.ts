/** Cursors skipped rows whose joined column is NULL because a left join found no partner. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('cursors over a left join', (test, db) => {
  test.before(() => createShop(db))

  for (const order of ['author.name', '-author.name', 'author.name.nullsfirst']) {
    test(`reach every row ordered by ${order}`, async () => {
      const api = testApi(db, shop, { API_ALLOW_JOIN: true })
      const query = `join=author&join_type=left&order_by=${order}&fields=id`
      const whole = await get(api, `/api/books?${query}`)
      let url: string | null = `/api/books?${query}&paging=cursor&limit=2`
      const paged = []
      while (url !== null && paged.length < 10) {
        const page = await get(api, url)
        paged.push(...page.value)
        url = page.body.next_url
      }
      equal(paged, whole.value)
    })
  }
})
