/** Numbers that a column of 32 bits cannot hold match nothing; they are not refused. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Count = defineModel('Count', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    n: { type: 'integer', nullable: true },
  },
  meta: {},
})

eachDatabase('integers beyond 32 bits', (test, db) => {
  test('are compared with a column that holds none of them', async () => {
    await createTables(db, [Count])
    await insertRows(db, Count, [
      { id: 1, n: 2147483647 },
      { id: 2, n: -2147483648 },
      { id: 3, n: null },
    ])
    const api = testApi(db, [Count])
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['n__eq=2147483647', [1]],
      ['n__eq=2147483648', []],
      ['n__eq=-2147483648', [2]],
      ['n__eq=-2147483649', []],
      ['n__lt=2147483648', [1, 2]],
      ['n__gt=-2147483649', [1, 2]],
      ['n__in=(2147483648,2147483647)', [1]],
      ['n__in=(-2147483649,-2147483648)', [2]],
      ['n__in=(2147483648,4294967296)', []],
    ]
    for (const [query, expected] of cases) {
      const { status, body } = await api.handle({
        method: 'GET',
        url: `/api/counts?${query}&order_by=id&fields=id`,
        headers: {},
      })
      equal([status, body?.value], [200, expected.map((id) => ({ id }))], query)
    }
  })
})
