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
    opens: { type: 'time', nullable: true },
  },
  meta: {},
})

eachDatabase('more values than a statement takes', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ price: '1.50' }])
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  // PostgreSQL takes a list as one parameter, but of times each value.
  const [field, value] =
    db.name === 'postgres'
      ? (['opens', (i: number) => new Date(i * 1000).toISOString().slice(11, 19)] as const)
      : (['price', (i: number) => `${i}.25`] as const)
  const list = `${field}__nin=(${Array.from({ length: 1000 }, (_, i) => value(i)).join(',')})`
  const many = (count: number) => Array(count).fill(list).join('&')

  test('are 400, with the maximum in the message', async () => {
    const reported: unknown[] = []
    const api = testApi(db, [Note], {}, { onError: (error) => reported.push(error) })
    const { status, errors } = await send(api, 'QUERY', '/api/notes', { headers, body: many(70) })
    equal([status, errors.code], [400, 'too_many_values'])
    match(errors.reason, db.name === 'sqlite' ? '32766' : '65535')
    equal(reported, [])
    equal((await send(api, 'QUERY', '/api/notes', { headers, body: many(3) })).status, 200)
  })
})
