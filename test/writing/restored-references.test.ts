/** A restore of a record that refers to a deleted one is refused, as a POST of such a record is. */
import { type AnyModel, type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const number = { type: 'integer', nullable: true } as const
const gone = { type: 'datetime', nullable: true } as const

const projectColumns = {
  id,
  owner: number,
  code: { type: 'string', maxLength: 10, unique: true },
  gone,
} as const
const Project = defineModel('Project', {
  columns: projectColumns,
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {},
})
const issueColumns = {
  id,
  project_id: number,
  code: { type: 'string', maxLength: 10, nullable: true },
  parent_id: number,
  topic_id: number,
  gone,
} as const
const issueRelations = {
  project: belongsTo('Project', 'project_id'),
  byCode: belongsTo('Project', 'code', { references: 'code' }),
  parent: belongsTo('Issue', 'parent_id'),
  topic: belongsTo('Topic', 'topic_id'),
} as const
const Issue = defineModel('Issue', { columns: issueColumns, relations: issueRelations, meta: {} })
/** Without soft delete. */
const Topic = defineModel('Topic', {
  columns: { id, gone },
  meta: { soft_delete: false },
})
const models: readonly AnyModel[] = [Project, Issue, Topic]
const config: ApiConfig = {
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'gone',
  API_SOFT_DELETE_VALUES: [null, 'now'],
  API_ALLOW_CASCADE_DELETE: true,
}

eachDatabase('a restore of a record that refers to a deleted one', (test, db) => {
  const api = testApi(db, models, config)
  const before = '2020-01-01T00:00:00.000Z'

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    await db.kysely.updateTable('issues').set({ parent_id: null }).execute()
    for (const table of ['issues', 'projects', 'topics']) {
      await db.kysely.deleteFrom(table).execute()
    }
    await insertRows(db, Project, [
      { id: 1, code: 'live', owner: 1 },
      { id: 2, code: 'gone', owner: 1, gone: before },
      { id: 3, code: 'hidden', owner: 2 },
      { id: 4, code: 'both', owner: 2, gone: before },
    ])
    await insertRows(db, Topic, [{ id: 1, gone: before }])
    await insertRows(db, Issue, [
      { id: 1, project_id: 1, gone: before },
      { id: 2, project_id: 2, gone: before },
      { id: 3, project_id: 3, gone: before },
      { id: 4, project_id: 4, gone: before },
      { id: 5, code: 'gone', project_id: 2, topic_id: 1, gone: before },
      { id: 6, parent_id: 6, topic_id: 1, gone: before },
      { id: 7, parent_id: 2, gone: before },
      { id: 8, gone: before },
    ])
  })

  const restored = async (issue: number, by = api) => {
    const { status, errors } = await send(by, 'POST', `/api/issues/${issue}/restore`)
    return errors === null ? status : [status, errors.code, errors.reason]
  }
  const none = ['No such record.']
  const missing = (...fields: readonly string[]) => [
    422,
    'missing_reference',
    Object.fromEntries(fields.map((field) => [field, none])),
  ]

  test('is 422, which names every such field, as that of a POST', async () => {
    equal(await restored(2), missing('project_id'))
    equal(await restored(5), missing('project_id', 'code'))
    equal(await restored(7), missing('parent_id'))
    const { status, errors } = await send(api, 'POST', '/api/issues', { body: { project_id: 2 } })
    equal([status, errors.code, errors.reason], missing('project_id'))
    equal((await get(api, '/api/issues/2')).status, 404)
  })

  test('is accepted for live records, itself, none, and records without soft delete', async () => {
    for (const issue of [1, 3, 6, 8]) equal([issue, await restored(issue)], [issue, 200])
  })

  test('is accepted after the other record was restored', async () => {
    equal((await send(api, 'POST', '/api/projects/2/restore')).status, 200)
    equal(await restored(2), 200)
    equal((await send(api, 'DELETE', '/api/projects/2?cascade_delete=1')).status, 200)
    equal(await restored(2), missing('project_id'))
  })

  test('says first whether the record itself is deleted, and needs the right to restore it', async () => {
    await db.kysely.updateTable('issues').set({ gone: null }).where('id', '=', 2).execute()
    equal((await send(api, 'POST', '/api/issues/2/restore')).status, 409)
    const own = defineModel('Issue', {
      columns: issueColumns,
      relations: issueRelations,
      meta: { access_policy: { scope: { project_id: { eq: 1 } } } },
    })
    const narrowed = testApi(db, [Project, own, Topic], config)
    equal((await send(narrowed, 'POST', '/api/issues/5/restore')).status, 404)
  })

  test('does not tell whether a hidden record is deleted', async () => {
    const scope = { owner: { eq: 1 } } as const
    const policies = [{ scope }, { scope: () => false }] as const
    for (const access_policy of policies) {
      const Hidden = defineModel('Project', {
        columns: projectColumns,
        relations: { issues: hasMany('Issue', 'project_id') },
        meta: { access_policy },
      })
      const narrowed = testApi(db, [Hidden, Issue, Topic], config)
      equal(await restored(3, narrowed), 200)
      equal(await restored(4, narrowed), 200)
      const sees = access_policy.scope === scope
      equal(await restored(2, narrowed), sees ? missing('project_id') : 200)
      await db.execScript("update issues set gone = '2020-01-01 00:00:00'")
    }
  })

  test('does not tell it to callers who may not read such records', async () => {
    const Closed = defineModel('Project', {
      columns: projectColumns,
      relations: { issues: hasMany('Issue', 'project_id') },
      meta: { allowed_methods: ['POST'] },
    })
    const closed = testApi(db, [Closed, Issue, Topic], config)
    equal(await restored(2, closed), 200)
    equal(await restored(4, closed), 200)
  })

  test('does not tell it of a foreign key that the caller may not read', async () => {
    const Ruled = defineModel('Issue', {
      columns: { ...issueColumns, project_id: { ...number, read: 'manager' } },
      relations: issueRelations,
      meta: {},
    })
    const ruled = testApi(db, [Project, Ruled, Topic], config)
    const statusFor = async (role: string) =>
      (await send(ruled, 'POST', '/api/issues/2/restore', { user: { id: 1, roles: [role] } }))
        .status
    equal([await statusFor('manager'), await statusFor('clerk')], [422, 200])
  })

  test('does not name a hidden field', async () => {
    const Hidden = defineModel('Issue', {
      columns: { ...issueColumns, project_id: { ...number, hidden: true } },
      relations: issueRelations,
      meta: {},
    })
    const hiding = testApi(db, [Project, Hidden, Topic], config)
    const { status, errors } = await send(hiding, 'POST', '/api/issues/2/restore')
    equal([status, errors.code], [422, 'missing_reference'])
    equal(JSON.stringify(errors).includes('project'), false)
  })
})
