/** An upsert whose key is NULL creates a record each time, because NULL equals nothing. */
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    code: { type: 'string', maxLength: 10, nullable: true, unique: true },
    note: { type: 'string', maxLength: 10 },
  },
  meta: {},
})

eachDatabase('upserts with NULL', (test, db) => {
  const api = testApi(db, [Item], { API_ALLOW_BULK: true })
  test.before(() => createTables(db, [Item]))

  test('create a record each time, alone and in lists', async () => {
    const upsert = (body: unknown) => send(api, 'POST', '/api/items?on_conflict=code', { body })
    const list = [{ code: null, note: 'a' }, { note: 'b' }, { code: 'x', note: 'c' }]
    for (const body of [list, list, list[0], list[0]]) equal((await upsert(body)).status, 201)
    const { value } = await get(api, '/api/items')
    const notes = value.map(({ note }: { note: string }) => note).sort()
    equal(notes, ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  })
  test('are 400 where the column is not nullable', async () => {
    const { id, note } = Item.columns
    const code = { type: 'string', maxLength: 10, unique: true } as const
    const strict = testApi(db, [defineModel('Item', { columns: { id, code, note }, meta: {} })], {
      API_ALLOW_BULK: true,
    })
    for (const item of [{ note: 'd' }, { code: null, note: 'e' }]) {
      const { status, errors } = await send(strict, 'POST', '/api/items?on_conflict=code', {
        body: [item],
      })
      equal([status, Object.keys(errors.reason)], [400, ['[0].code']])
    }
  })
})
