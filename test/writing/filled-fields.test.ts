/** Foreign keys that nested objects set follow the rules of their columns, as if the client had sent them. */
import { type AnyModel, belongsTo, defineModel, type HookArgs, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import { countRows } from './models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const models: readonly AnyModel[] = [
  defineModel('Shelf', {
    columns: { id, label: { type: 'string', maxLength: 20 } },
    relations: {
      folders: hasMany('Folder', 'shelf_id'),
      boxes: hasMany('Box', 'shelf_id'),
      cards: hasMany('Card', 'shelf_id'),
    },
    meta: {},
  }),
  /** Clients never set the shelf. */
  defineModel('Folder', {
    columns: { id, shelf_id: { type: 'integer', nullable: true, readOnly: true } },
    meta: {},
  }),
  /** For a caller without a shelf of its own, the default has no value. */
  defineModel('Card', {
    columns: {
      id,
      shelf_id: {
        type: 'integer',
        nullable: true,
        default: ({ user }: HookArgs) => user?.shelf_id,
      },
    },
    meta: {},
  }),
  defineModel('Box', {
    columns: {
      id,
      size: { type: 'integer' },
      shelf_id: {
        type: 'integer',
        nullable: true,
        validator: (_: unknown, row: { size?: number }) =>
          (row.size ?? 0) < 10 || 'Too large for a shelf',
      },
    },
    relations: { shelf: belongsTo('Shelf', 'shelf_id') },
    meta: {},
  }),
]

eachDatabase('a foreign key that nesting sets', (test, db) => {
  const reported: string[] = []
  const onError = (error: unknown) => void reported.push(String(error))
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true }, { onError })
  test.before(() => createTables(db, models))
  const post = (url: string, body: unknown) => send(api, 'POST', url, { body })
  const refused = async (method: string, url: string, body: unknown) => {
    const before = await countRows(db, 'shelves', 'folders', 'boxes')
    const { status, errors } = await send(api, method, url, { body })
    equal(await countRows(db, 'shelves', 'folders', 'boxes'), before)
    return [status, errors?.reason]
  }

  test('is set in new records although clients may not write it', async () => {
    const { status, value } = await post('/api/shelves', { label: 'A', folders: [{}] })
    const folders = await get(api, `/api/shelves/${value.id}/folders`)
    equal([status, folders.value[0].shelf_id], [201, value.id])
  })

  test('needs no default of its column', async () => {
    const { status, value } = await post('/api/shelves', { label: 'A', cards: [{}, {}] })
    const cards = await get(api, `/api/shelves/${value.id}/cards`)
    const keys = cards.value.map((card: { shelf_id: number }) => card.shelf_id)
    equal([status, keys], [201, [value.id, value.id]])
    equal(reported, [])
    equal((await post('/api/cards', {})).status, 500)
    match(
      reported.join(),
      'The default of Card.shelf_id returned undefined; it must return a value, or null for none.',
    )
  })

  test('does not move a record whose foreign key is read-only', async () => {
    const { value } = await post('/api/folders', {})
    equal(await refused('POST', '/api/shelves', { label: 'B', folders: [{ id: value.id }] }), [
      400,
      { 'folders[0]': ['The record cannot be moved here: its "shelf_id" is read-only.'] },
    ])
    equal((await get(api, `/api/folders/${value.id}`)).value.shelf_id, null)
  })

  test('is validated: below a new record, in a moved one, and beside a nested object', async () => {
    const boxes = [{ size: 1 }, { size: 12 }]
    const reason = { 'boxes[1].shelf_id': ['Too large for a shelf'] }
    equal(await refused('POST', '/api/shelves', { label: 'C', boxes }), [400, reason])
    const { value } = await post('/api/boxes', { size: 20 })
    const moved = { label: 'D', boxes: [{ id: value.id }] }
    equal(await refused('POST', '/api/shelves', moved), [
      400,
      { 'boxes[0].shelf_id': ['Too large for a shelf'] },
    ])
    const shelf = { label: 'E' }
    const own = { shelf_id: ['Too large for a shelf'] }
    equal(await refused('POST', '/api/boxes', { size: 30, shelf }), [400, own])
    equal(await refused('PATCH', `/api/boxes/${value.id}`, { shelf }), [400, own])
    equal((await post('/api/boxes', { size: 3, shelf })).status, 201)
  })
})
