/** can_create, can_update and can_delete: a refusal of a policy is 403, and nothing is stored. */
import { type ApiConfig, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

interface Note {
  readonly locked?: boolean
}

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    text: { type: 'string', maxLength: 40 },
    locked: { type: 'boolean' },
  },
  meta: {
    allow_bulk: true,
    access_policy: {
      can_create: (data: Note) => data.locked === false,
      can_update: (stored: Note, changes: Note) => !stored.locked && changes.locked !== true,
      can_delete: (stored: Note) => !stored.locked,
    },
  },
})

const config: ApiConfig = { API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }

eachDatabase('a policy', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [
      { id: 1, text: 'locked', locked: true },
      { id: 2, text: 'open', locked: false },
    ])
  })
  const api = testApi(db, [Note], config)
  const status = async (method: string, url: string, body?: unknown) =>
    (await send(api, method, url, body === undefined ? {} : { body })).status
  const stored = async () =>
    (await db.kysely.selectFrom('notes').select(['id', 'text']).orderBy('id').execute()).map(
      ({ id, text }) => [id, text],
    )
  const before = [
    [1, 'locked'],
    [2, 'open'],
  ]

  test('that refuses a new record, a change and a deletion prevents each of them', async () => {
    equal(await status('POST', '/api/notes', { id: 3, text: 'new', locked: true }), 403)
    equal(await status('PATCH', '/api/notes/1', { text: 'changed' }), 403)
    equal(await status('PUT', '/api/notes/1', { text: 'changed', locked: false }), 403)
    equal(await status('PATCH', '/api/notes/2', { locked: true }), 403)
    equal(await status('DELETE', '/api/notes/1'), 403)
    equal(await stored(), before)
  })

  test('that refuses one of several records prevents all', async () => {
    const list = [
      { id: 3, text: 'new', locked: false },
      { id: 4, text: 'new', locked: true },
    ]
    equal(await status('POST', '/api/notes', list), 403)
    equal(await status('PATCH', '/api/notes?id__ge=1', { text: 'changed' }), 403)
    equal(await status('DELETE', '/api/notes?id__ge=1'), 403)
    equal(await stored(), before)
  })

  test('does not affect other records', async () => {
    equal(await status('POST', '/api/notes', { id: 3, text: 'new', locked: false }), 201)
    equal(await status('PATCH', '/api/notes/3', { text: 'changed' }), 200)
    equal(await status('DELETE', '/api/notes/3'), 200)
    equal(await stored(), before)
  })
})
