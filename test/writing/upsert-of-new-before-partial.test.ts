/** An upsert of a list refused a new record because a later record, which is stored already, omits a required field. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Part = defineModel('Part', {
  columns: {
    code: { type: 'string', maxLength: 10, primaryKey: true },
    title: { type: 'string', maxLength: 20 },
    stock: { type: 'integer', nullable: true },
  },
  meta: { allow_bulk: true },
})

eachDatabase('an upsert of new and existing records', (test, db) => {
  const api = testApi(db, [Part])
  const upsert = (body: unknown) => send(api, 'POST', '/api/parts?on_conflict=code', { body })
  test.before(async () => {
    await createTables(db, [Part])
    await upsert([
      { code: 'a', title: 'A' },
      { code: 'b', title: 'B' },
    ])
  })

  test('requires fields only in the records that it creates, in any order', async () => {
    const first = await upsert([
      { code: 'c', title: 'C' },
      { code: 'a', stock: 1 },
    ])
    equal([first.status, first.errors], [201, null])
    const second = await upsert([
      { code: 'a', stock: 2 },
      { code: 'd', title: 'D', stock: 4 },
      { code: 'b', stock: 3 },
    ])
    equal([second.status, second.errors], [201, null])
    const rows = await db.kysely.selectFrom('parts').selectAll().orderBy('code').execute()
    equal(
      rows.map(({ code, title, stock }) => [code, title, stock]),
      [
        ['a', 'A', 2],
        ['b', 'B', 3],
        ['c', 'C', null],
        ['d', 'D', 4],
      ],
    )
  })

  test('refuses a new record that lacks a required field', async () => {
    const { status, errors } = await upsert([
      { code: 'e', title: 'E' },
      { code: 'f', stock: 1 },
      { code: 'a', stock: 5 },
    ])
    equal([status, errors.reason], [400, { '[1].title': ['This field is required.'] }])
  })
})
