/** URLs in a response that is written directly as text, row by row, under any mount prefix: the same as those of `handle`. */
import { belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import { askedTwice } from '../support/asked-twice.ts'
import { equal } from '../support/assert.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const Shelf = defineModel('Shelf', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: { folders: hasMany('Folder', 'shelf_id') },
  meta: {},
})
const Folder = defineModel('Folder', {
  columns: { id, shelf_id: { type: 'integer', nullable: true } },
  relations: { shelf: belongsTo('Shelf', 'shelf_id') },
  meta: {},
})

eachDatabase('URLs in responses that are written as one string', (test, db) => {
  test.before(async () => {
    await createTables(db, [Shelf, Folder])
    await insertRows(db, Shelf, [
      { id: 1, name: 'Poems' },
      { id: 2, name: 'Plays' },
    ])
    await insertRows(db, Folder, [
      { id: 7, shelf_id: 2 },
      { id: 8, shelf_id: null },
      { id: 9, shelf_id: 1 },
    ])
  })

  test('belong to their own row, and to the mount path of their own request', async () => {
    const { kysely } = db
    const models = [Shelf, Folder]
    // A database that builds no JSON.
    const dialect = plainDialect(kysely)
    const api = askedTwice(createApi({ db: kysely, dialect, models, onWarning: () => {} }))
    for (const baseUrl of ['/a', '/b', '/a']) {
      for (const url of [
        '/api/folders',
        '/api/shelves',
        '/api/shelves?dump=json',
        '/api/folders/7',
      ]) {
        const request = { method: 'GET', url, baseUrl }
        const { body } = await api.handle(request)
        const { text = '' } = await api.answer(request)
        equal(JSON.parse(text).value, body?.value, `${baseUrl}${url}`)
      }
    }
    const { text = '' } = await api.answer({ method: 'GET', url: '/api/folders', baseUrl: '/b' })
    equal(
      JSON.parse(text).value.map(({ shelf }: { shelf: string | null }) => shelf),
      ['/b/api/folders/7/shelf', null, '/b/api/folders/9/shelf'],
    )
  })
})
