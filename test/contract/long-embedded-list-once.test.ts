/** If one embedded list is long, only its page is read as rows; other pages of the same query keep the JSON that the database builds. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Team = defineModel('Team', {
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 40 } },
  relations: { notes: hasMany('Note', 'team_id') },
  meta: {},
})
const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    team_id: { type: 'integer', nullable: true },
  },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: {},
})

eachDatabase('pages after one with a long embedded list', (test, db) => {
  test('need as many statements as before', async () => {
    await createTables(db, [Team, Note])
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
    await insertRows(
      db,
      Team,
      ids(300).map((id) => ({ id, name: `team ${id}` })),
    )
    await insertRows(db, Note, [
      ...ids(600).map((id) => ({ id, team_id: 1 })),
      ...ids(200).map((id) => ({ id: 1000 + id, team_id: id + 1 })),
    ])
    const api = testApi(db, [Team, Note], { API_SERIALIZATION_TYPE: 'json' })
    await api.ready
    const cost = async (page: number): Promise<number> => {
      const url = `/api/teams?limit=100&order_by=id&page=${page}`
      const ask = () => api.answer({ method: 'GET', url, headers: {} })
      const { result, statements } = await db.capture(ask)
      equal(result.status, 200)
      return statements.length
    }
    // The first request of a query is not yet cached.
    await cost(2)
    const before = await cost(2)
    ok((await cost(1)) >= before)
    equal(await cost(2), before)
  })
})
