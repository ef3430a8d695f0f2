/** A nested object set a foreign key that clients may not write: one that is read-only or hidden, and a part of the record's own key. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { countRows } from '../writing/models.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Writer = defineModel('Writer', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: { letters: hasMany('Letter', 'owner_id'), drafts: hasMany('Draft', 'owner_id') },
  meta: {},
})

const letterColumns = {
  id,
  title: { type: 'string', maxLength: 20 },
} as const

/** The owner of a letter is hidden, and no client sets it. */
const Letter = defineModel('Letter', {
  columns: { ...letterColumns, owner_id: { type: 'integer', nullable: true, hidden: true } },
  relations: { owner: belongsTo('Writer', 'owner_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
})

/** The column is hidden only because the relation shows the same value; clients may set the relation. */
const Draft = defineModel('Draft', {
  columns: {
    ...letterColumns,
    owner_id: { type: 'integer', nullable: true, hidden: true, readOnly: false },
  },
  relations: { owner: belongsTo('Writer', 'owner_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
})

/** The service sets the writer of a note. */
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

const models: readonly AnyModel[] = [Writer, Note, Page, Letter, Draft]

eachDatabase('a foreign key that clients may not write', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true })
  test.before(async () => {
    await createTables(db, models)
    for (const name of ['Ann', 'Bob']) await send(api, 'POST', '/api/writers', { body: { name } })
    await insertRows(db, Note, [
      { id: 51, title: 'first', writer_id: 1 },
      { id: 52, title: 'second', writer_id: 1 },
    ])
    await insertRows(db, Page, [{ note_id: 51, number: 1 }])
    for (const model of [Letter, Draft]) {
      await insertRows(db, model, [{ id: 71, title: 'first', owner_id: 1 }])
    }
  })
  const refused = async (
    method: string,
    url: string,
    body: unknown,
  ): Promise<readonly [number, unknown]> => {
    const before = await countRows(db, 'writers', 'notes', 'pages', 'letters', 'drafts')
    const { status, errors } = await send(api, method, url, { body })
    equal(await countRows(db, 'writers', 'notes', 'pages', 'letters', 'drafts'), before)
    return [status, errors?.reason] as const
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
    const [status] = await refused('PATCH', '/api/notes/51', { writer: null })
    equal(status, 400)
    equal((await get(api, '/api/notes/51')).value.writer_id, 1)
  })

  test('may be sent back as a URL, and is set in a new record by its default', async () => {
    const { value } = await get(api, '/api/notes/51')
    equal((await send(api, 'PATCH', '/api/notes/51', { body: value })).status, 200)
    const made = await send(api, 'POST', '/api/notes', { body: { title: 'third' } })
    equal([made.status, made.value.writer_id], [201, 1])
  })

  test('can be set in a new record but not changed later if it is a part of the primary key', async () => {
    const made = await send(api, 'POST', '/api/pages', { body: { number: 2, note: { id: 51 } } })
    equal([made.status, made.value.note_id], [201, 51])
    equal(await refused('PATCH', '/api/pages/51,1', { note: { id: 52 } }), [
      400,
      { note: ['This relation is part of the key, which does not change.'] },
    ])
    equal((await get(api, '/api/pages/51,1')).status, 200)
  })

  const ownerOf = async (table: string): Promise<unknown> =>
    (await db.kysely.selectFrom(table).select('owner_id').where('id', '=', 71).executeTakeFirst())
      ?.owner_id

  test('is not set or cleared by a nested object where it is hidden, nor by moving the record to another parent', async () => {
    const problem = [400, { owner: ['This relation is read-only.'] }]
    equal(await refused('POST', '/api/letters', { title: 'x', owner: { id: 2 } }), problem)
    equal(await refused('PATCH', '/api/letters/71', { owner: { id: 2 } }), problem)
    equal((await refused('PATCH', '/api/letters/71', { owner: null }))[0], 400)
    equal(await refused('POST', '/api/writers', { name: 'Eve', letters: [{ id: 71 }] }), [
      400,
      {
        'letters[0]': ['The record cannot be moved here: its relation to its parent is read-only.'],
      },
    ])
    equal(await ownerOf('letters'), 1)
  })

  test('is set below a new parent if it is hidden, and by the relation if it is not read-only', async () => {
    const made = await send(api, 'POST', '/api/writers', {
      body: { name: 'Eve', letters: [{ title: 'new' }], drafts: [{ id: 71 }] },
    })
    equal(made.status, 201)
    equal(await ownerOf('drafts'), made.value.id)
    const { value } = await get(api, `/api/writers/${made.value.id}/letters`)
    equal(
      (value as { title: string }[]).map(({ title }) => title),
      ['new'],
    )
    equal((await send(api, 'PATCH', '/api/drafts/71', { body: { owner: { id: 2 } } })).status, 200)
    equal(await ownerOf('drafts'), 2)
    equal((await send(api, 'PATCH', '/api/drafts/71', { body: { owner: null } })).status, 200)
    equal(await ownerOf('drafts'), null)
  })

  test('is not a member of request bodies in the document', async () => {
    const { schemas = {} } = (await api.openapi()).components ?? {}
    for (const [name, has] of [
      ['NewNote', false],
      ['PatchNote', false],
      ['NewPage', true],
      ['PatchPage', false],
      ['NewLetter', false],
      ['NewDraft', true],
    ] as const) {
      const text = JSON.stringify(schemas[name])
      equal([name, text.includes('New records, or existing ones')], [name, has])
    }
    match(JSON.stringify(schemas.Note), 'writer')
  })
})
