/** A nested object once set a foreign key that clients may not write: one that is declared read-only, and a part of the record's own key. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { countRows } from '../writing/models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Writer = defineModel('Writer', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  meta: {},
})

/** The service says who has written a note. */
const Note = defineModel('Note', {
  columns: {
    id,
    title: { type: 'string', maxLength: 20 },
    writer_id: { type: 'integer', nullable: true, readOnly: true, default: 1 },
  },
  relations: { writer: belongsTo('Writer', 'writer_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
})

const Page = defineModel('Page', {
  columns: {
    note_id: { type: 'integer', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
  },
  relations: { note: belongsTo('Note', 'note_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
})

const models: readonly AnyModel[] = [Writer, Note, Page]

eachDatabase('a foreign key that clients may not write', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true })
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Writer, [
      { id: 1, name: 'Ann' },
      { id: 2, name: 'Bob' },
    ])
    await insertRows(db, Note, [
      { id: 51, title: 'first', writer_id: 1 },
      { id: 52, title: 'second', writer_id: 1 },
    ])
    await insertRows(db, Page, [{ note_id: 51, number: 1 }])
  })
  const refused = async (method: string, url: string, body: unknown): Promise<unknown> => {
    const before = await countRows(db, 'writers', 'notes', 'pages')
    const { status, errors } = await send(api, method, url, { body })
    equal(await countRows(db, 'writers', 'notes', 'pages'), before)
    return [status, errors?.reason]
  }

  test('is not set by a nested object, whether that is a link or a new record', async () => {
    const problem = [400, { writer: ['This relation is read-only.'] }]
    for (const writer of [{ id: 2 }, { name: 'Eve' }]) {
      equal(await refused('POST', '/api/notes', { title: 'x', writer }), problem)
      equal(await refused('PATCH', '/api/notes/51', { writer }), problem)
      equal(await refused('PUT', '/api/notes/51', { title: 'x', writer }), problem)
    }
    equal((await get(api, '/api/notes/51?fields=title,writer_id')).value, {
      title: 'first',
      writer_id: 1,
    })
  })

  test('is not cleared by null', async () => {
    const [status] = (await refused('PATCH', '/api/notes/51', { writer: null })) as [number]
    equal(status, 400)
    equal((await get(api, '/api/notes/51')).value.writer_id, 1)
  })

  test('is sent back as a URL, and set in a new record by its default', async () => {
    const { value } = await get(api, '/api/notes/51')
    equal((await send(api, 'PATCH', '/api/notes/51', { body: value })).status, 200)
    const made = await send(api, 'POST', '/api/notes', { body: { title: 'third' } })
    equal([made.status, made.value.writer_id], [201, 1])
  })

  test('is chosen with a new record, and not changed later, where it is a part of the key', async () => {
    const made = await send(api, 'POST', '/api/pages', { body: { number: 2, note: { id: 51 } } })
    equal([made.status, made.value.note_id], [201, 51])
    equal(await refused('PATCH', '/api/pages/51,1', { note: { id: 52 } }), [
      400,
      { note: ['This relation is part of the key, which does not change.'] },
    ])
    equal((await get(api, '/api/pages/51,1')).status, 200)
  })

  test('is no member of the bodies of the document', () => {
    const { schemas = {} } = api.openapi().components ?? {}
    for (const [name, has] of [
      ['NewNote', false],
      ['PatchNote', false],
      ['NewPage', true],
      ['PatchPage', false],
    ] as const) {
      const text = JSON.stringify(schemas[name])
      equal([name, text.includes('New records, or existing ones')], [name, has])
    }
    match(JSON.stringify(schemas.Note), 'writer')
  })
})
