/** Doubles keep their last digit, even if the driver's own number parser rounds them. */
import { defineModel } from '@model-api/core'
import { sql } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Reading = defineModel('Reading', {
  columns: { id: { type: 'integer', primaryKey: true }, value: { type: 'float' } },
  computed: { opposite: { type: 'float', expression: () => sql`-value` } },
  meta: {},
})

eachDatabase('doubles', (test, db) => {
  const values = [
    983992086.4000155, 0.1, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308,
    123456789012345680,
  ]

  test.before(async () => {
    await createTables(db, [Reading])
    await insertRows(
      db,
      Reading,
      values.map((value, i) => ({ id: i + 1, value })),
    )
  })

  const config = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
  const read = async (query: string, key: string): Promise<number[]> => {
    const { value } = await get(testApi(db, [Reading], config), `/api/readings?${query}`)
    return value.map((row: Record<string, number>) => row[key])
  }

  test('are the same numbers', async () => {
    equal(await read('', 'value'), values)
  })

  test('are the same numbers where a model computes them', async () => {
    equal(
      await read('', 'opposite'),
      values.map((value) => -value),
    )
  })

  test('are the same numbers in groups, and as the largest and smallest', async () => {
    const sorted = [...values].sort((a, b) => a - b)
    equal(await read('groupby=value', 'value'), sorted)
    equal(await read('groupby=id,value|m__min&order_by=m', 'm'), sorted)
    equal(await read('groupby=id,value|m__max&order_by=m', 'm'), sorted)
  })
})
