/** Doubles come back to the last digit, also where a driver's own reader of numbers rounds them. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Reading = defineModel('Reading', {
  columns: { id: { type: 'integer', primaryKey: true }, value: { type: 'float' } },
  meta: {},
})

eachDatabase('doubles', (test, db) => {
  const values = [983992086.4000155, 0.1, 5e-324, 1.7976931348623157e308, 123456789012345680]

  test.before(async () => {
    await createTables(db, [Reading])
    await insertRows(
      db,
      Reading,
      values.map((value, i) => ({ id: i + 1, value })),
    )
  })

  test('are the same numbers', async () => {
    const { value } = await get(testApi(db, [Reading]), '/api/readings')
    equal(
      value.map((row: { value: number }) => row.value),
      values,
    )
  })
})
