/** Which columns the records of `add` and `update` callbacks have, as their types promise. */
import {
  type AnyModel,
  belongsTo,
  defineModel,
  type HookRecord,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', maxLength: 40 } as const
const seen: [callback: string, missing: readonly string[]][] = []

/** Notes which columns of the model a record does not have. */
const note = (callback: string, object: HookRecord, { columns, computed }: AnyModel) => {
  const missing = [...Object.keys(columns), ...Object.keys(computed)].filter(
    (name) => object[name] === undefined,
  )
  seen.push([callback, missing])
}
const meta = {
  allow_bulk: true,
  allow_upsert: true,
  allow_nested_writes: true,
  soft_delete: true,
  soft_delete_attribute: 'gone',
  soft_delete_values: [false, true] as const,
  allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const,
  add_callback: (object: HookRecord, model: AnyModel) => {
    note('add', object, model)
    return { ...object, hidden: 1, ...('rank' in model.columns ? { rank: 'given' } : {}) }
  },
  update_callback: (object: HookRecord, model: AnyModel) => {
    note('update', object, model)
    return object
  },
}
const base = { id, gone: { type: 'boolean' }, hidden: { type: 'integer', hidden: true } } as const

const Project = defineModel('Project', {
  columns: { ...base, name: { ...text, unique: true } },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta,
})
const Issue = defineModel('Issue', {
  columns: {
    ...base,
    uid: { type: 'uuid', generated: 'uuid' },
    project_id: { type: 'integer' },
    title: { ...text, unique: true },
    code: { ...text, writeOnly: true },
    note: { ...text, nullable: true },
    state: { ...text, default: 'open' },
    author: { ...text, readOnly: true, default: async () => 'Ann' },
    salary: { type: 'integer', nullable: true, read: () => false },
    created: { type: 'datetime', managed: 'created' },
    updated: { type: 'datetime', managed: 'updated' },
  },
  computed: {
    // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
    twice: { type: 'integer', expression: (eb: any) => eb('id', '*', eb.val(2)) },
  },
  relations: {
    project: belongsTo('Project', 'project_id'),
    labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
  },
  meta,
})
const Label = defineModel('Label', { columns: { ...base, name: text }, meta })
const IssueLabel = defineModel('IssueLabel', {
  table: 'issue_labels',
  columns: { ...base, issue_id: { type: 'integer' }, label_id: { type: 'integer' }, rank: text },
  unique: [['issue_id', 'label_id']],
  relations: { issue: belongsTo('Issue', 'issue_id'), label: belongsTo('Label', 'label_id') },
  meta,
})

eachDatabase('the records of add and update callbacks', (test, db) => {
  const models = [Project, Label, Issue, IssueLabel]
  const api = testApi(db, models, { API_ALLOW_JOIN: true })
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Project, [{ name: 'first', gone: false, hidden: 1 }])
    await insertRows(db, Label, [{ name: 'sea', gone: false, hidden: 1 }])
  })
  /** What the callbacks of a request were given. */
  const request = async (method: string, url: string, body: unknown) => {
    seen.length = 0
    const { status, errors } = await send(api, method, `/api/${url}`, { body })
    equal([status < 300, errors ?? null], [true, null])
    return [...seen]
  }
  const issue = (title: string) => ({ title, code: 'x' })
  /** Absent in a new issue: the key, hidden and nullable columns without a value, those that the caller may not write, computed ones. */
  const newIssue = ['add', ['id', 'hidden', 'note', 'salary', 'twice']]
  const newProject = ['add', ['id', 'hidden']]
  const changed = ['update', []]

  test('a new record has the columns that POST requires and those that the API fills', async () => {
    equal(await request('POST', 'issues', { ...issue('a'), project_id: 1 }), [newIssue])
    const list = ['b', 'c'].map((title) => ({ ...issue(title), project_id: 1 }))
    equal(await request('POST', 'issues', list), [newIssue, newIssue])
    const nested = { ...issue('d'), project: { name: 'second' } }
    equal(await request('POST', 'issues', nested), [newProject, newIssue])
    const parent = { name: 'third', issues: [issue('e'), issue('f')] }
    equal(await request('POST', 'projects', parent), [newProject, newIssue, newIssue])
    const upserted = ['a', 'g'].map((title) => ({ ...issue(title), project_id: 1 }))
    equal(await request('POST', 'issues?on_conflict=title', upserted), [changed, newIssue])
  })

  test('a link that a list makes has its keys, without other columns that POST requires', async () => {
    const links = { labels: [{ id: 1 }] }
    const link = ['add', ['id', 'hidden', 'rank']]
    equal(await request('PATCH', 'issues/1', links), [changed, link])
  })

  test('a changed record has all columns', async () => {
    equal(await request('PATCH', 'issues/1', { title: 'A' }), [changed])
    equal(
      await request('PATCH', 'issues', [
        { id: 1, note: 'n' },
        { id: 2, note: 'n' },
      ]),
      [changed, changed],
    )
    equal((await request('PATCH', 'issues?id__le=2', { note: 'm' })).length, 2)
    equal(seen, [changed, changed])
    equal(await request('PUT', 'issues/1', { title: 'a', project_id: 1 }), [changed])
    const moved = { name: 'fourth', issues: [{ id: 4 }] }
    equal(await request('POST', 'projects', moved), [newProject, changed])
    await request('DELETE', 'issues/3', undefined)
    equal(await request('POST', 'issues/3/restore', undefined), [changed])
  })
})
