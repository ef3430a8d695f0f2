/**
 * A list with links from both ends of a junction lost links: those of one relation were replaced after those of the other had
 * been written for all records.
 */
import { type AnyModel, defineModel, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Person = defineModel('Person', {
  table: 'people',
  columns: { id: { type: 'integer', primaryKey: true } },
  relations: {
    friends: manyToMany('Person', { through: 'friends', from: 'who', to: 'whom' }),
    fans: manyToMany('Person', { through: 'friends', from: 'whom', to: 'who' }),
  },
  meta: {},
})

const models: readonly AnyModel[] = [Person]
const everything = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true } as const

eachDatabase('a list with links from both sides', (test, db) => {
  const api = testApi(db, models, everything)
  test.before(async () => {
    await createTables(db, models)
    await insertRows(
      db,
      Person,
      [1, 2, 3].map((id) => ({ id })),
    )
  })

  test('writes the links in the order of the records', async () => {
    const body = [
      { id: 1, friends: [], fans: [{ id: 2 }] },
      { id: 3, friends: [{ id: 1 }, { id: 2 }], fans: [] },
    ]
    const { status, errors } = await send(api, 'PATCH', '/api/people', { body })
    equal([status, errors], [200, null])
    const rows = await db.kysely.selectFrom('friends').selectAll().execute()
    equal(rows.map(({ who, whom }) => `${who} ${whom}`).sort(), ['2 1', '3 1', '3 2'])
  })
})
