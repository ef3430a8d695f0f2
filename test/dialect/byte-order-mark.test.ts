/** A byte order mark at the beginning of a text is kept, even if the text is a grouping column. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    body: { type: 'string', maxLength: 40 },
  },
  meta: {},
})

const config = { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('byte order mark', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ id: 1, body: '\uFEFFa' }])
  })

  for (const [url, value] of [
    ['/api/notes', [{ id: 1, body: '\uFEFFa' }]],
    ['/api/notes?groupby=body', [{ body: '\uFEFFa' }]],
    ['/api/notes?body__max=1', [{ body_max: '\uFEFFa' }]],
  ] as const) {
    test(url, async () => equal((await get(testApi(db, [Note], config), url)).value, value))
  }
})
