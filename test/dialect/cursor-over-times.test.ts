/** A cursor on a column of times finds its position, with and without fractions of a second. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Shift = defineModel('Shift', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    opens: { type: 'time', nullable: true },
  },
  meta: {},
})

eachDatabase('cursor over times', (test, db) => {
  test.before(async () => {
    await createTables(db, [Shift])
    await insertRows(db, Shift, [
      { id: 1, opens: '00:00:00' },
      { id: 2, opens: '00:00:00' },
      { id: 3, opens: null },
      { id: 4, opens: '23:59:59' },
      { id: 5, opens: '09:30:00' },
    ])
  })

  for (const [order, ids] of [
    ['opens', [1, 2, 5, 4, 3]],
    ['-opens', [3, 4, 5, 1, 2]],
    ['-opens.nullslast', [4, 5, 1, 2, 3]],
  ] as const) {
    test(`in the order of ${order}`, async () => {
      const api = testApi(db, [Shift])
      const seen: unknown[] = []
      let url: string | null = `/api/shifts?order_by=${order}&limit=1&paging=cursor`
      while (url !== null && seen.length < 9) {
        const { body } = await get(api, url)
        seen.push(...body.value.map(({ id }: { id: number }) => id))
        url = body.next_url
      }
      equal(seen, ids)
    })
  }
})
