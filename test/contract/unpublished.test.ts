/** A request for a model without meta is 404 like any unknown path; the host is told once why. */
import { createApi, defineModel } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const columns = { id: { type: 'integer', primaryKey: true } } as const
const Book = defineModel('Book', { columns, meta: {} })
const OrderItem = defineModel('OrderItem', { columns })
const Audit = defineModel('Audit', { columns })

suite('a model without meta', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  test.after(() => db.close())

  const start = (
    models: readonly (typeof Book | typeof Audit | typeof OrderItem)[],
    config = {},
  ) => {
    const warnings: string[] = []
    const api = createApi({
      db: db.kysely,
      models,
      config: { API_SCHEMA_CHECK: 'off', API_DUMP_DATETIME: false, ...config },
      clock: { now: () => 0, elapsed: () => 0 },
      onWarning: (message) => warnings.push(message),
    })
    const ask = async (url: string, method = 'GET') => {
      const { status, body } = await api.handle({ method, url })
      return [status, body?.errors, body?.value]
    }
    return { ask, warnings }
  }

  test('is unknown to clients, and named in one warning when its endpoint is requested', async () => {
    const { ask, warnings } = start([Book, OrderItem, Audit])
    const without = start([Book])
    equal(warnings, [])
    for (const url of [
      '/api/audits',
      '/api/audit/1',
      '/api/audits/1/books',
      '/api/order-items?x=1',
    ]) {
      for (const method of ['GET', 'POST']) {
        equal(await ask(url, method), await without.ask(url, method), url)
      }
    }
    equal(warnings, [
      '/api/audits was requested and is 404, because the model Audit has no meta. If it is meant to be published, add meta: {} to it.',
      '/api/order-items was requested and is 404, because the model OrderItem has no meta. If it is meant to be published, add meta: {} to it.',
    ])
    equal(without.warnings, [])
  })

  test('is named by its endpoint in the configured case and below the prefix', async () => {
    const { ask, warnings } = start([Book, OrderItem, Audit], {
      API_PREFIX: '/v1',
      API_ENDPOINT_CASE: 'camel',
    })
    for (const url of ['/v1/order-items', '/api/orderItems', '/orderItems', '/v1/Audits']) {
      await ask(url)
    }
    equal(warnings, [])
    await ask('/v1/orderItems')
    equal(warnings.length, 1)
  })
})
