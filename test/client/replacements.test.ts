/** The typed client replaces records whose columns are set once, in the forms that its types allow; the same on all databases. */
import { type Api, belongsTo, defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { transports } from '../support/transports.ts'

const id = { type: 'integer', primaryKey: true } as const
const Project = defineModel('Project', {
  columns: { id, name: { type: 'string', maxLength: 40 } },
  meta: {},
})
const Issue = defineModel('Issue', {
  columns: {
    id,
    project_id: { type: 'integer', immutable: true },
    code: { type: 'string', maxLength: 10, immutable: true },
    title: { type: 'string', maxLength: 40 },
  },
  relations: { project: belongsTo('Project', 'project_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PUT'], allow_nested_writes: true },
})

for (const transport of transports) {
  eachDatabase(`${transport.name} replaces`, (test, db) => {
    test.before(async () => {
      await createTables(db, [Project, Issue])
      await insertRows(db, Project, [{ id: 1, name: 'One' }])
      await insertRows(db, Issue, [{ id: 1, project_id: 1, code: 'a', title: 'old' }])
    })
    const api = testApi(db, [Project, Issue], {})
    const client = transport.clientOf<Api<{ models: [typeof Project, typeof Issue] }>>(api)
    const stored = { id: 1, project_id: 1, code: 'a' }

    test('a record without what is set once, which stays', async () => {
      const value = await client.issues.replace(1, { title: 'new' }).unwrap()
      equal(value, { ...stored, title: 'new' })
    })

    test('a record with the stored values of it', async () => {
      const same = { project_id: 1, code: 'a', title: 'newer' }
      equal(await client.issues.replace(1, same).unwrap(), { ...stored, title: 'newer' })
    })

    test('no record with other ones, nor by a nested record, which does not compile either', async () => {
      const other = await client.issues.replace(1, { code: 'b', title: 'x' })
      ok(!other.ok)
      equal(other.error.problems, [
        {
          path: 'code',
          code: 'read_only',
          params: { why: 'new_only' },
          message: 'This field is set only in a new record.',
        },
      ])
      // @ts-expect-error: the project is set in a new record only
      const nested = await client.issues.replace(1, { title: 'x', project: { id: 1 } })
      ok(!nested.ok)
      match(JSON.stringify(nested.error.problems), 'project')
    })
  })
}
