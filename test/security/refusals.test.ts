/** The reports of refused requests: enough for a log, and nothing secret (S58). */
import type { ApiConfig, Refusal } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('refusals', (test, db) => {
  test.before(() => createShop(db))

  const told = async (config: ApiConfig, method: string, url: string, more: object = {}) => {
    const refusals: Refusal[] = []
    const options = { onRefusal: (refusal: Refusal) => void refusals.push(refusal) }
    const { status } = await send(testApi(db, shop, config, options), method, url, more)
    return { status, refusals }
  }
  const custom: ApiConfig = { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: () => false }

  test('a 401 is reported with its request id, without query and credentials', async () => {
    const headers = { authorization: 'Bearer hush', 'x-request-id': 'r-1' }
    const url = '/api/books?title__eq=hush'
    const { status, refusals } = await told(custom, 'GET', url, { headers })
    equal(status, 401)
    equal(refusals, [
      {
        status: 401,
        code: refusals[0]?.code,
        requestId: 'r-1',
        method: 'GET',
        path: '/api/books',
        address: undefined,
      },
    ])
    ok(!JSON.stringify(refusals).includes('hush'))
  })

  test('403 and 429 are reported, 404 and 200 are not', async () => {
    const roles: ApiConfig = { API_ROLE_MAP: { GET: 'admin' } }
    equal(
      (await told(roles, 'GET', '/api/books')).refusals.map(({ status }) => status),
      [403],
    )
    const refusals: Refusal[] = []
    const limited = testApi(
      db,
      shop,
      { API_RATE_LIMIT: '1 per minute' },
      { onRefusal: (refusal) => void refusals.push(refusal) },
    )
    for (const url of ['/api/books', '/api/books', '/api/nothing']) await send(limited, 'GET', url)
    equal(
      refusals.map(({ status }) => status),
      [429],
    )
  })

  test('a reported path contains no line breaks', async () => {
    const { refusals } = await told(custom, 'GET', '/api/books/1\r\nforged')
    ok(refusals.every(({ path }) => !/[\r\n]/.test(path)))
  })
})
