/**
 * A scope that refuses one caller decided for all: after that caller had sent the query several times, everybody got the URL
 * instead of the embedded record.
 */
import { defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const Team = defineModel('Team', {
  columns: { id, name: { type: 'string' } },
  relations: { notes: hasMany('Note', 'team_id') },
  meta: {},
})
const Note = defineModel('Note', {
  columns: { id, team_id: { type: 'integer' }, text: { type: 'string' } },
  meta: {
    access_policy: {
      scope_query: (query, { user }) => ((user as { id?: number })?.id === 2 ? false : query),
    },
  },
})
const models = [Team, Note] as const

eachDatabase('an embed that a policy refuses to one caller', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Team, [{ id: 1, name: 'Red' }])
    await insertRows(db, Note, [{ id: 1, team_id: 1, text: 'hello' }])
  })

  for (const [path, notes] of [
    ['/api/teams?dump=json', '/api/teams/1/notes'],
    ['/api/teams/1?dump=json', '/api/teams/1/notes'],
  ] as const) {
    for (const first of [1, 2]) {
      test(`is embedded for other callers: ${path}, requested by user ${first} first`, async () => {
        const api = testApi(db, models)
        const ask = async (user: number) => {
          const { value } = await send(api, 'GET', path, { user: { id: user } })
          return [value].flat()[0].notes
        }
        for (let i = 0; i < 3; i++) await ask(first)
        equal(await ask(2), notes)
        equal(await ask(1), [{ id: 1, team_id: 1, text: 'hello' }])
        equal(await ask(2), notes)
      })
    }
  }
})
