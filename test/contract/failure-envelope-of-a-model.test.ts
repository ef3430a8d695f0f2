/** Error responses had the envelope of the configuration, although the model's meta sets another one. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop, Tag } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('the envelope of a model', (test, db) => {
  test.before(() => createShop(db))

  test('has the same members in error responses', async () => {
    const quiet = { ...Tag, meta: { dump_datetime: false, dump_response_ms: false } }
    const models = shop.map((model) => (model === Tag ? quiet : model))
    const { body } = await get(testApi(db, models), '/api/tags/99')
    equal(Object.keys(body), [
      'api_version',
      'status_code',
      'total_count',
      'next_url',
      'previous_url',
      'errors',
      'value',
    ])
  })
})
