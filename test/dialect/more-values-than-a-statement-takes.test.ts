/** Many lists of values, each within its limit, had more values in all than a statement of the database takes: 500. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    price: { type: 'decimal', precision: 10, scale: 2 },
  },
  meta: {},
})

eachDatabase('more values than a statement takes', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ price: '1.50' }])
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const list = `price__nin=(${Array.from({ length: 1000 }, (_, i) => `${i}.25`).join(',')})`
  const many = (count: number) => Array(count).fill(list).join('&')

  // PostgreSQL takes each list as one parameter.
  const fits = db.name === 'postgres'
  test(
    fits ? 'are never sent: a list is one parameter' : 'are 400, with the maximum in the message',
    async () => {
      const reported: unknown[] = []
      const api = testApi(db, [Note], {}, { onError: (error) => reported.push(error) })
      const { status, errors } = await send(api, 'QUERY', '/api/notes', { headers, body: many(70) })
      equal([status, errors?.code], fits ? [200, undefined] : [400, 'too_many_values'])
      if (!fits) match(errors.reason, db.name === 'sqlite' ? '32766' : '65535')
      equal(reported, [])
      equal((await send(api, 'QUERY', '/api/notes', { headers, body: many(3) })).status, 200)
    },
  )
})
