/**
 * A refused POST whose nested object names its parent by a unique key was repeated, and its callbacks called again, although the
 * refused table was another than that of the named record.
 */
import { belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Customer = defineModel('Customer', {
  table: 'customers',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    email: { type: 'string', maxLength: 40, unique: true },
  },
  meta: {},
})
let calls = 0
const Invoice = defineModel('Invoice', {
  table: 'invoices',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    number: { type: 'string', maxLength: 20, unique: true },
    customer_id: { type: 'integer' },
  },
  relations: { customer: belongsTo('Customer', 'customer_id') },
  meta: {
    add_callback: async (record, _model, { db }) => {
      calls++
      await db.selectFrom('customers').select('id').execute()
      return record
    },
  },
})

eachDatabase('a refusal of a record with a named parent', (test, db) => {
  const api = testApi(db, [Customer, Invoice], {
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_UPSERT: true,
  })
  test.before(() => createTables(db, [Customer, Invoice]))

  test('calls the callback once', async () => {
    const post = (email: string) =>
      send(api, 'POST', '/api/invoices?customer.on_conflict=email', {
        body: { number: 'R-1', customer: { email } },
      })
    equal((await post('ada@example.com')).status, 201)
    calls = 0
    const refused = await post('new@example.com')
    equal([refused.status, refused.body.errors.code, calls], [409, 'unique_violation', 1])
    equal((await send(api, 'GET', '/api/customers')).total, 1)
  })
})
