/**
 * The parameters of endpoints without a query language (documentation, index, batches, authentication): which are refused, and
 * which are left to the host.
 */
import { type Api, type ApiConfig, defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const Person = defineModel('Person', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  methods: { check: () => true },
})
const authentication: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_USER_MODEL: Person,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
  REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
}

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

  test('is refused by the OpenAPI document', async () => {
    const api = testApi(db, shop)
    for (const url of ['/openapi.json', '/docs/apispec.json']) {
      equal(await refusal(api, `${url}?form=a`), [400, 'unknown_parameter', 'form=a'], url)
      equal(await statusOf(api, `${url}?&`), 200)
    }
    const { errors } = await get(api, '/openapi.json?form=a')
    equal(errors.reason, 'Unknown parameter "form". The document has no parameters.')
  })

  test('is ignored by the page for browsers', async () => {
    equal(await statusOf(testApi(db, shop), '/docs?utm_source=mail'), 200)
  })

  test('is refused by the index and by the batch endpoint', async () => {
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

  test('is refused by login, refresh and logout, whose errors say that the values belong in the body', async () => {
    const api = testApi(db, [...shop, Person], authentication)
    const reasons: Record<string, string> = {}
    for (const name of ['login', 'refresh', 'logout']) {
      const url = `/auth/${name}?username=ann`
      const { status, errors } = await send(api, 'POST', url, { body: {} })
      equal([status, errors.code, errors.at], [400, 'unknown_parameter', 'username=ann'])
      reasons[name] = errors.reason
    }
    equal(reasons, {
      login:
        'Unknown parameter "username". Login has no parameters; "username" and "password" are members of its body.',
      refresh:
        'Unknown parameter "username". Refresh has no parameters; "refresh_token" is a member of its body.',
      logout: 'Unknown parameter "username". Logout has no parameters.',
    })
    equal((await send(api, 'POST', '/auth/logout?&')).status, 200)
  })

  test('is ignored by the health routes, because probes add parameters to bypass caches', async () => {
    const api = testApi(db, shop, { API_HEALTH_ROUTE: '/health' })
    for (const url of ['/health?t=1', '/health/ready?t=1&t=2', '/health?%zz']) {
      equal(await statusOf(api, url), 200, url)
    }
  })

  test('is accepted if it is a parameter of the host', async () => {
    const api = testApi(db, [...shop, Person], {
      ...authentication,
      API_AUTH_REQUIREMENTS: { '*': false },
      API_ALLOW_BATCH: true,
      API_ADDITIONAL_QUERY_PARAMS: ['tenant'],
    })
    for (const url of ['/openapi.json', '/docs', '/api', '/api/books']) {
      equal(await statusOf(api, `${url}?tenant=7`), 200, url)
    }
    equal((await refusal(api, '/api/batch?tenant=7', 'POST', batch))[0], 200)
    equal((await refusal(api, '/auth/logout?tenant=7', 'POST'))[0], 200)
    equal((await refusal(api, '/auth/login?tenant=7', 'POST', {}))[1], 'validation_failed')
  })
})
