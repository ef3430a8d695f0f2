/**
 * A statement that was stored by a batch, whose connection bounds all statements, was sent by requests of their own without the settings
 * that MySQL and MariaDB get with it: they then sorted by the first 1,024 bytes of a text.
 */
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Letter = defineModel('Letter', {
  columns: { id: { type: 'integer', primaryKey: true }, body: { type: 'text' } },
  meta: {},
})

eachDatabase('statements of a batch', (test, db) => {
  test('are not those of a request of its own', async () => {
    await createTables(db, [Letter])
    const ends = ['d', 'b', 'a', 'c']
    await insertRows(
      db,
      Letter,
      ends.map((end, i) => ({ id: i + 1, body: 'x'.repeat(2000) + end })),
    )
    const api = testApi(db, [Letter], { API_ALLOW_BATCH: true })
    const url = '/api/letters?order_by=body'
    for (let times = 0; times < 3; times++) {
      const body = { operations: [{ id: 'a', method: 'GET', url }] }
      const { status } = await send(api, 'POST', '/api/batch', { body })
      equal(status, 200)
    }
    const { value } = await get(api, url)
    equal(
      value.map(({ id }: { readonly id: number }) => id),
      [3, 2, 4, 1],
    )
  })
})
