/** The typed client restores soft-deleted records: by key, with an ETag, and not twice; the same on all databases. */
import { type Api, defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { transports } from '../support/transports.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    text: { type: 'string', maxLength: 40 },
    deleted: { type: 'boolean' },
  },
  meta: { soft_delete: true, soft_delete_attribute: 'deleted' },
})

const Line = defineModel('Line', {
  columns: {
    note_id: { type: 'integer', primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    deleted: { type: 'boolean' },
  },
  meta: { soft_delete: true, soft_delete_attribute: 'deleted' },
})

for (const transport of transports) {
  eachDatabase(`${transport.name} restores`, (test, db) => {
    test.before(async () => {
      await createTables(db, [Note, Line])
      await insertRows(db, Note, [{ id: 1, text: 'Ink', deleted: false }])
      await insertRows(db, Line, [{ note_id: 1, number: 2, deleted: false }])
    })
    const api = testApi(db, [Note, Line], {})
    const client = transport.clientOf<Api<{ models: [typeof Note, typeof Line] }>>(api)

    test('a deleted record is restored, and returned whole', async () => {
      equal(await client.notes.remove(1).unwrap(), null)
      equal((await client.notes.get(1)).status, 404)
      const restored = await client.notes.restore(1)
      ok(restored.ok)
      equal([restored.status, restored.value], [200, { id: 1, text: 'Ink', deleted: false }])
      equal(await client.notes.get(1).unwrap(), restored.value)
    })

    test('a record of a composite key is restored', async () => {
      await client.lines.remove([1, 2]).unwrap()
      const line = await client.lines.restore([1, 2]).unwrap()
      equal([line?.note_id, line?.number], [1, 2])
    })

    test('a record that is not deleted is refused with a code', async () => {
      const refused = await client.notes.restore(1)
      ok(!refused.ok)
      equal([refused.status, refused.error.code], [409, 'not_deleted'])
      equal((await client.notes.restore(99)).status, 404)
    })

    test('a record that has changed is not restored with the old ETag', async () => {
      const read = await client.notes.get(1)
      ok(read.ok && read.etag !== null)
      await client.notes.update(1, { text: 'Sepia' }).unwrap()
      await client.notes.remove(1).unwrap()
      equal((await client.notes.restore(1, { ifMatch: read.etag })).status, 412)
      equal((await client.notes.restore(1).unwrap())?.text, 'Sepia')
    })
  })
}
