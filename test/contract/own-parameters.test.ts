/** The parameters of endpoints without a query language: what the documentation, the index and batches refuse, and what they leave to the host. */
import type { Api } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('a parameter that an endpoint does not have', (test, db) => {
  test.before(() => createShop(db))
  const refusal = async (api: Api, url: string, method = 'GET', body?: unknown) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const { status, errors } = await send(api, method, url, { headers, body })
    return [status, errors?.code, errors?.at]
  }
  const statusOf = async (api: Api, url: string) =>
    (await api.handle({ method: 'GET', url, headers: {} })).status
  const batch = { operations: [{ id: 'a', method: 'GET', url: '/api/books/1' }] }

  test('is refused by the document, which names the one that it has', async () => {
    const api = testApi(db, shop)
    for (const url of ['/openapi.json', '/docs/apispec.json']) {
      equal(await refusal(api, `${url}?form=3.2`), [400, 'unknown_parameter', 'form=3.2'], url)
      equal(await refusal(api, `${url}?openapi=3.2&x`), [400, 'unknown_parameter', 'x'], url)
      equal(await refusal(api, `${url}?openapi=3.2&openapi=3.2`), [
        400,
        'repeated_parameter',
        'openapi=3.2',
      ])
      equal((await get(api, `${url}?%6fpenapi=3%2E2&`)).body.openapi, '3.2.0', url)
    }
    const { errors } = await get(api, '/openapi.json?form=3.2')
    equal(errors.reason, 'Unknown parameter "form". Expected "openapi=3.2".')
  })

  test('is ignored by the page for browsers', async () => {
    equal(await statusOf(testApi(db, shop), '/docs?utm_source=mail'), 200)
  })

  test('is refused by the index and by batches', async () => {
    const api = testApi(db, shop, { API_ALLOW_BATCH: true })
    for (const url of ['/api', '/']) {
      equal(await refusal(api, `${url}?limit=3`), [400, 'unknown_parameter', 'limit=3'], url)
      equal(await refusal(api, `${url}?a=%zz`), [400, 'malformed_encoding', 'a=%zz'], url)
    }
    equal(await statusOf(api, '/api?&'), 200)
    equal(await refusal(api, '/api/batch?dry_run=1', 'POST', batch), [
      400,
      'unknown_parameter',
      'dry_run=1',
    ])
    match((await send(api, 'POST', '/api/batch?dry_run')).errors.reason, 'member of its body')
  })

  test('is accepted where it is one of the host', async () => {
    const api = testApi(db, shop, {
      API_ALLOW_BATCH: true,
      API_ADDITIONAL_QUERY_PARAMS: ['tenant'],
    })
    for (const url of ['/openapi.json', '/docs', '/api', '/api/books']) {
      equal(await statusOf(api, `${url}?tenant=7`), 200, url)
    }
    equal((await get(api, '/openapi.json?tenant=7&openapi=3.2')).body.openapi, '3.2.0')
    equal((await refusal(api, '/api/batch?tenant=7', 'POST', batch))[0], 200)
  })
})
