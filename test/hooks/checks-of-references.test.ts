/** A reference to a record that the caller may not see is refused before the callbacks that could tell something of that record. */
import { apiError, belongsTo, defineModel, type HookRecord, type Meta } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
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

eachDatabase('a foreign key that the host sets', (test, db) => {
  const Project = defineModel('Project', {
    columns: { id, deleted: { type: 'boolean', default: false } },
    meta: { soft_delete: true, soft_delete_attribute: 'deleted' },
  })
  const issueWith = (meta: Meta, byDefault: boolean) =>
    defineModel('Issue', {
      columns: {
        id,
        project_id: { type: 'integer', nullable: true, ...(byDefault ? { default: 1 } : {}) },
      },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: { allow_bulk: true, ...meta },
    })
  test.before(async () => {
    await createTables(db, [Project, issueWith({}, false)])
    await insertRows(db, Project, [{ id: 1, deleted: true }])
    await insertRows(db, issueWith({}, false), [{ id: 1000, project_id: null }])
  })

  const deletedOne = (record: HookRecord) => ({ ...record, project_id: 1 })
  const hosts = {
    'a default': issueWith({}, true),
    'a callback': issueWith({ add_callback: deletedOne, update_callback: deletedOne }, false),
  }
  for (const [name, Issue] of Object.entries(hosts)) {
    const api = testApi(db, [Project, Issue])
    test(`${name} may refer to a soft-deleted record, and a client may not`, async () => {
      for (const [own, sent] of [
        [{}, { project_id: 1 }],
        [
          [{}, {}],
          [{}, { project_id: 1 }],
        ],
      ]) {
        const made = await send(api, 'POST', '/api/issues', { body: own })
        equal(made.status, 201)
        const issues = [made.value].flat() as { readonly project_id: number }[]
        ok(issues.every((issue) => issue.project_id === 1))
        const refused = await send(api, 'POST', '/api/issues', { body: sent })
        equal([refused.status, refused.errors.code], [422, 'missing_reference'])
      }
    })
  }

  test('a callback may move a record to a soft-deleted one', async () => {
    const api = testApi(db, [Project, hosts['a callback']])
    const { status, value } = await send(api, 'PATCH', '/api/issues/1000', { body: {} })
    equal([status, (value as { readonly project_id: number }).project_id], [200, 1])
  })
})
