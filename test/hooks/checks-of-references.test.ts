/** A reference to a record that the caller may not see is refused before the callbacks that could tell something of that record. */
import { apiError, belongsTo, defineModel, type HookRecord } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

eachDatabase('a check of a referenced record in a callback', (test, db) => {
  const Project = defineModel('Project', {
    columns: { id, tenant: { type: 'integer' }, archived: { type: 'boolean' } },
    meta: { access_policy: { scope: { tenant: { eq: 1 } } } },
  })
  const Issue = defineModel('Issue', {
    columns: { id, project_id: { type: 'integer' } },
    relations: { project: belongsTo('Project', 'project_id') },
    meta: {
      allow_bulk: true,
      error_codes: { project_archived: { status: 409, description: 'The project is archived.' } },
      add_callback: (record, _model, args) => asked(record, args.db),
      update_callback: (record, _model, args) => asked(record, args.db),
    },
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tables of the test
  const asked = async (record: HookRecord, on: any) => {
    const query = on.selectFrom('projects').select('archived').where('id', '=', record.project_id)
    const found = await query.executeTakeFirst()
    if (found?.archived) throw apiError(409, 'Conflict', 'It is archived.', 'project_archived')
    return record
  }
  test.before(async () => {
    await createTables(db, [Project, Issue])
    await insertRows(db, Project, [
      { id: 1, tenant: 1, archived: false },
      { id: 2, tenant: 1, archived: true },
      { id: 3, tenant: 2, archived: true },
    ])
    await insertRows(db, Issue, [{ id: 1, project_id: 1 }])
  })

  for (const [method, url, isList] of [
    ['POST', '/api/issues', false],
    ['POST', '/api/issues', true],
    ['PATCH', '/api/issues/1', false],
  ] as const) {
    test(`${method} ${isList ? 'of a list' : 'of one record'}`, async () => {
      const api = testApi(db, [Project, Issue])
      const codeOf = async (project_id: number) => {
        const body = isList ? [{ project_id }] : { project_id }
        return (await send(api, method, url, { body })).errors?.code
      }
      equal(
        [await codeOf(2), await codeOf(3), await codeOf(99)],
        ['project_archived', 'missing_reference', 'missing_reference'],
      )
    })
  }
})
