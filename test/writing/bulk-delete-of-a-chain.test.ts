/** DELETE by a filter tried each record of a chain, in which each record refers to the one before it, once for every other record. */
import { belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Step = defineModel('Step', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    previous_id: { type: 'integer', nullable: true },
  },
  relations: { previous: belongsTo('Step', 'previous_id') },
  meta: {},
})

eachDatabase('a chain of records', (test, db) => {
  test.before(() => createTables(db, [Step]))
  const api = testApi(db, [Step], { API_ALLOW_BULK: true })

  /** Returns the number of statements for deleting a chain of this length. */
  async function statementsFor(first: number, length: number): Promise<number> {
    const rows = Array.from({ length }, (_, i) => ({
      id: first + i,
      previous_id: i === 0 ? null : first + i - 1,
    }))
    await insertRows(db, Step, rows)
    const { result, statements } = await db.capture(() =>
      send(api, 'DELETE', `/api/steps?id__ge=${first}&id__lt=${first + length}`),
    )
    equal([result.status, result.total], [200, length])
    return statements.length
  }

  test('is removed by statements in proportion to its length', async () => {
    await statementsFor(1, 5)
    const [short, long] = [await statementsFor(100, 20), await statementsFor(200, 40)]
    ok(long <= 2 * short, `20 records: ${short} statements, 40 records: ${long}`)
  })

  test('that ends in a cycle is not removed', async () => {
    await insertRows(db, Step, [{ id: 1000, previous_id: null }])
    await insertRows(db, Step, [{ id: 1001, previous_id: 1000 }])
    await insertRows(db, Step, [{ id: 1002, previous_id: 1001 }])
    await db.kysely.updateTable('steps').set({ previous_id: 1001 }).where('id', '=', 1000).execute()
    const { status } = await send(api, 'DELETE', '/api/steps?id__ge=1000')
    equal(status, 409)
  })
})
