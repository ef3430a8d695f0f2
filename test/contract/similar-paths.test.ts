/** A 404 for a path that differs from one of the API only in case, plural, slashes or a few letters suggests that one. */
import { type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const OrderItem = defineModel('OrderItem', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    person_id: { type: 'integer' },
    deleted: { type: 'boolean' },
  },
  relations: { salesPerson: belongsTo('Person', 'person_id') },
  meta: { endpoint: 'shop/lines' },
})
const Person = defineModel('Person', {
  columns: { id: { type: 'integer', primaryKey: true } },
  relations: { orderItems: hasMany('OrderItem', 'person_id') },
  meta: {},
})
const Secret = defineModel('Secret', { columns: { id: { type: 'integer', primaryKey: true } } })
const models = [OrderItem, Person, Secret]

const logins: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_USER_MODEL: Person,
  API_USER_LOOKUP_FIELD: 'id',
  API_CREDENTIAL_CHECK_METHOD: 'check',
}

suite('a path that resembles an endpoint', (test) => {
  const [db] = openDatabases()
  if (db === undefined) throw new Error('SQLite is always there')
  const soft = {
    API_SOFT_DELETE: true,
    API_SOFT_DELETE_ATTRIBUTE: 'deleted',
    API_ALLOW_BATCH: true,
    API_HEALTH_ROUTE: '/health',
  } as const
  const reasonAt = async (url: string, config: ApiConfig = {}): Promise<string> => {
    const api = testApi(db, [OrderItem, Person, Secret], { ...soft, ...config })
    const { status, errors } = await get(api, url)
    equal(status, 404, url)
    return errors.reason
  }

  const slips: readonly (readonly [string, string])[] = [
    ['/api/People', '/api/people'],
    ['/api/PEOPLE/7', '/api/people/7'],
    ['/api/people/', '/api/people'],
    ['/api/people/7/', '/api/people/7'],
    ['/api//people', '/api/people'],
    ['/API/people', '/api/people'],
    ['/api/Person', '/api/people'],
    ['/api/order_items', '/api/order-items'],
    ['/api/orderItem/3', '/api/order-items/3'],
    ['/api/Shop/Line', '/api/shop/lines'],
    ['/api/people/7/OrderItems', '/api/people/7/order-items'],
    ['/api/people/7/order-item', '/api/people/7/order-items'],
    ['/api/order-items/3/sales_people', '/api/order-items/3/sales-person'],
    ['/api/order-items/3/Restore', '/api/order-items/3/restore'],
    ['/api/People/a%2Fb', '/api/people/a%2Fb'],
    ['/Docs/', '/docs'],
    ['/api/', '/api'],
    ['/API', '/api'],
    ['/OpenAPI.json', '/openapi.json'],
    ['/api/Batch/', '/api/batch'],
    ['/Health', '/health'],
    ['/health/ready/', '/health/ready'],
    ['/api/peopel', '/api/people'],
    ['/api/perple/7/order-items', '/api/people/7/order-items'],
  ]
  for (const [path, meant] of slips) {
    test(`${path}: suggests ${meant}`, async () =>
      equal(await reasonAt(path), `No endpoint answers at ${path}. Did you mean "${meant}"?`))
  }

  const unlike = [
    '/api/invoices',
    '/api/secrets',
    '/api/Secret',
    '/api/People/7/x',
    '/api/People/7/order-items/8',
    '/api/People/..',
    '/api/People/%2e',
    '/other/People',
    `/api/People/${'7'.repeat(200)}`,
  ]
  for (const path of unlike) {
    test(`${path.slice(0, 30)}: suggests nothing`, async () =>
      ok(!(await reasonAt(path)).includes('Did you mean')))
  }

  test('nothing is suggested if the documentation is not public', async () => {
    const hidden: readonly ApiConfig[] = [
      { API_CREATE_DOCS: false },
      {
        API_DOCUMENTATION_REQUIRE_AUTH: true,
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: () => true,
      },
    ]
    for (const config of hidden) {
      ok(!(await reasonAt('/api/People', config)).includes('Did you mean'))
    }
  })

  test('an authentication endpoint is suggested, if there is one', async () => {
    equal(await reasonAt('/auth/login/'), 'No endpoint answers at /auth/login/.')
    const check = { ...Person, methods: { check: () => false } }
    const api = testApi(
      db,
      models,
      { ...soft, ...logins, API_USER_MODEL: check },
      {
        env: { ACCESS_SECRET_KEY: 'a'.repeat(32), REFRESH_SECRET_KEY: 'b'.repeat(32) },
      },
    )
    for (const path of ['/auth/Login/', '/api/auth/login']) {
      const { errors } = await get(api, path)
      ok(errors.reason.endsWith('Did you mean "/auth/login"?'), `${path}: ${errors.reason}`)
    }
  })
})
