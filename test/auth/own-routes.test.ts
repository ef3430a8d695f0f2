/** Every path that belongs to no resource is served, belongs to the API, is refused in batches, and is suggested for a similar one. */
import type { ApiConfig } from '@model-api/core'
import { buildRegistry } from '../../packages/core/src/model/registry/registry.ts'
import { ownRoutes } from '../../packages/core/src/model/settings/endpoints/own-routes.ts'
import { get, send } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { Book, jwtKeys, peopleApi, post, User } from './people.ts'

const config: ApiConfig = {
  ...jwtKeys,
  API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
  API_KEYS: true,
  API_ALLOW_BATCH: true,
  API_HEALTH_ROUTE: '/health',
}

suite('own routes', (test) => {
  const [db] = openDatabases()
  if (db === undefined) throw new Error('SQLite is always there')
  const { api } = peopleApi(db, config)
  const { settings } = buildRegistry({ models: [User, Book], config })

  for (const [name, { path: pathIn }] of Object.entries(ownRoutes)) {
    const path = pathIn(settings) ?? ''

    test(`${name}: is enabled by the configuration of this test`, () => {
      ok(path !== '', 'enable it in `config` of test/auth/own-routes.test.ts')
    })

    test(`${path}: is answered by handle.ts, and the adapters do not pass it on`, async () => {
      const { status, headers } = await send(api, 'TRACE', path)
      equal([status, typeof headers.allow], [405, 'string'], `handle.ts has no branch for ${path}`)
      ok(api.owns(path))
    })

    test(`${path}: is refused in a batch`, async () => {
      const { errors } = await post(api, '/api/batch', {
        operations: [{ method: 'GET', url: path }],
      })
      equal(errors?.code, 'not_in_batch')
    })

    test(`${path}: is suggested for another spelling`, async () => {
      const { errors } = await get(api, `${path.toUpperCase()}/`)
      match(String(errors?.reason), new RegExp(`Did you mean "${path}"`))
    })
  }
})
