/** Many concurrent lists: the total is counted less often than it is returned, and never before the request. */

import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainOnly } from '../support/path.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('contract: totals of lists at the same time', (test, db) => {
  const api = testApi(db, shop)
  test.before(async () => {
    await createWritableShop(db)
    await api.ready
  })

  test('all of them are correct', async () => {
    const alone = await get(api, '/api/tags?limit=1')
    for (let round = 0; round < 3; round++) {
      const { result, statements } = await db.capture(() =>
        Promise.all(Array.from({ length: 12 }, () => get(api, '/api/tags?limit=1'))),
      )
      for (const answer of result) equal(answer.text, alone.text)
      const counting = statements.filter(({ sql }) => sql.includes('count(*)')).length
      ok(counting >= 1 && counting <= 12, String(counting))
      // From the third request on, the read is prepared, and concurrent requests share the count.
      if (round > 0 && db.name !== 'sqlite' && !plainOnly) ok(counting < 12, String(counting))
    }
  })

  test('a client sees its own write counted, whatever others request', async () => {
    const before = (await get(api, '/api/tags?limit=1')).total
    const others = Array.from({ length: 30 }, () => get(api, '/api/tags?limit=1'))
    const writers = Array.from({ length: 6 }, async (_, i) => {
      const created = await send(api, 'POST', '/api/tags', { body: { name: `counted ${i}` } })
      equal(created.status, 201)
      return (await get(api, '/api/tags?limit=1')).total
    })
    const totals = await Promise.all(writers)
    await Promise.all(others)
    for (const total of totals) ok(total > before, `${total} after ${before}`)
    equal((await get(api, '/api/tags?limit=1')).total, before + 6)
  })

  test('conditions with different values are counted separately', async () => {
    const ids = [1, 2, 3, 1, 2, 3, 1, 2, 3]
    const url = (id: number): string => `/api/tags?id__le=${id}&limit=1`
    const expected = [await get(api, url(1)), await get(api, url(2)), await get(api, url(3))]
    const answers = await Promise.all(ids.map((id) => get(api, url(id))))
    equal(
      answers.map(({ total }) => total),
      ids.map((id) => expected[id - 1]?.total),
    )
  })
})
