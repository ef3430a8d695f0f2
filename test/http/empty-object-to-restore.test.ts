/** An empty object as the body of restore was refused by api.fetch, which gives bodies as bytes. */
import { createApi, defineModel } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    gone: { type: 'boolean' },
  },
  meta: {},
})

suite('a request that takes no body', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  const api = createApi({
    db: db.kysely,
    models: [Note],
    config: { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'gone', API_ALLOW_BULK: true },
  })
  test.before(() => createTables(db, [Note]))
  test.after(() => db.close())

  const bodies: readonly (readonly [text: string, isEmpty: boolean])[] = [
    ['{}', true],
    [' {\n} ', true],
    ['null', true],
    ['{"id":1}', false],
    ['[1]', false],
  ]
  for (const [method, path, given] of [
    ['POST', 'notes/1/restore', true],
    ['DELETE', 'notes?id__gt=0', false],
  ] as const) {
    test(`accepts an empty object and refuses fields, as text, bytes and object: ${method} ${path}`, async () => {
      const headers = { 'content-type': 'application/json' }
      for (const [text, isEmpty] of bodies) {
        const url = `/api/${path}`
        const statuses: number[] = []
        for (const body of [text, new TextEncoder().encode(text), JSON.parse(text)]) {
          await db.kysely.deleteFrom('notes').execute()
          await insertRows(db, Note, [{ id: 1, gone: given }])
          statuses.push((await api.handle({ method, url, headers, body })).status)
        }
        await db.kysely
          .updateTable('notes')
          .set({ gone: Number(given) })
          .execute()
        const request = new Request(`http://localhost${url}`, { method, headers, body: text })
        statuses.push((await api.fetch(request)).status)
        equal([text, statuses], [text, Array(4).fill(isEmpty ? 200 : 400)])
      }
    })
  }
})
