/** A required column of a junction table that holds no key: without a published model nothing fills it, so no link can be created. */
import { type AnyModel, createApi, defineModel, manyToMany } from '@model-api/core'
import { send } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const
const labels = { through: 'issue_labels', from: 'issue_id', to: 'label_id' } as const
const issues = { through: 'issue_labels', from: 'label_id', to: 'issue_id' } as const

const tracker = (through: string, meta: object): readonly AnyModel[] => [
  defineModel('Issue', {
    columns: { id },
    relations: { labels: manyToMany('Label', { ...labels, through }) },
    meta,
  }) as unknown as AnyModel,
  defineModel('Label', {
    columns: { id },
    relations: { issues: manyToMany('Issue', { ...issues, through }) },
    meta,
  }) as unknown as AnyModel,
]

const IssueLabel = defineModel('IssueLabel', {
  table: 'issue_labels',
  columns: {
    issue_id: { type: 'integer', primaryKey: true },
    label_id: { type: 'integer', primaryKey: true },
    organisation_id: { type: 'integer', readOnly: true, default: () => 7 },
  },
  meta: {},
}) as unknown as AnyModel

const nested = { allow_nested_writes: true }

eachDatabase('schema check: required columns of junction tables', (test, db) => {
  const junction = (name: string, further: string): string => `
    create table ${name} (issue_id integer not null,
      label_id integer not null, ${further}, primary key (issue_id, label_id),
      foreign key (issue_id) references issues (id), foreign key (label_id) references labels (id));`
  test.before(() =>
    db.execScript(`
      create table issues (id integer not null primary key);
      create table labels (id integer not null primary key);
      ${junction('issue_labels', 'organisation_id integer not null')}
      ${junction('nullable', 'organisation_id integer')}
      ${junction('filled', 'organisation_id integer not null default 1')}
      ${junction('triggered', 'organisation_id integer not null')}
      insert into labels values (1);`),
  )
  const differences = async (models: readonly AnyModel[]): Promise<readonly string[]> => {
    const config = { API_SCHEMA_CHECK: 'off' } as const
    const api = createApi({ db: db.kysely, models, config, onWarning() {} })
    return (await api.schemaDifferences()).map(({ message }) =>
      message.replace(/\((?:int\(11\)|int|INTEGER)\)/, '(integer)'),
    )
  }
  const advice = db.name === 'sqlite' ? '' : ', fill it by a trigger before the insert'
  const message = `Issue.labels (issue_labels): the relation writes links, and the table has no published model, but the column organisation_id (integer) is NOT NULL and has no default, so no link can be created. Give the column a default${advice}, or publish a model of issue_labels with a default for it.`

  test('are reported once, for the first relation', async () =>
    equal(await differences(tracker('issue_labels', nested)), [message]))

  test('error: ready rejects, and requests get 503', async () => {
    const models = tracker('issue_labels', nested)
    const config = { API_SCHEMA_CHECK: 'error' } as const
    const api = createApi({ db: db.kysely, models, config, onWarning() {}, onError() {} })
    match((await rejects(api.ready)).message, 'Issue.labels (issue_labels)')
    equal((await api.handle({ method: 'GET', url: '/api/issues', headers: {} })).status, 503)
  })

  test('warn: it is a warning; no link can be created, so the report is right', async () => {
    const warnings: string[] = []
    const onWarning = (text: string): void => void warnings.push(text)
    const models = tracker('issue_labels', nested)
    const api = createApi({ db: db.kysely, models, onWarning, onError() {} })
    await api.ready
    match(warnings.join('\n'), 'Issue.labels (issue_labels)')
    const body = { id: 1, labels: [{ id: 1 }] }
    equal((await send(api, 'POST', '/api/issues', { body })).status, 422)
    equal((await send(api, 'POST', '/api/issues', { body: { id: 1 } })).status, 201)
    equal(
      (await send(api, 'PATCH', '/api/issues/1', { body: { labels: [{ id: 1 }] } })).status,
      422,
    )
  })

  for (const [title, models] of [
    ['a column that may be NULL', tracker('nullable', nested)],
    ['a column with a default', tracker('filled', nested)],
    ['relations that clients do not write', tracker('issue_labels', {})],
    ['models without writes', tracker('issue_labels', { ...nested, allowed_methods: ['GET'] })],
    ['a published model with a default', [...tracker('issue_labels', nested), IssueLabel]],
  ] as const) {
    test(`not reported: ${title}`, async () => equal(await differences(models), []))
  }

  test('models without POST write links by PATCH', async () => {
    const models = tracker('issue_labels', { ...nested, block_methods: ['POST'] })
    equal(await differences(models), [message])
  })

  test('the published model fills the column of each link', async () => {
    const models = [...tracker('issue_labels', nested), IssueLabel]
    const config = { API_SCHEMA_CHECK: 'error' } as const
    const api = createApi({ db: db.kysely, models, config, onWarning() {} })
    await api.ready
    const body = { id: 2, labels: [{ id: 1 }] }
    equal((await send(api, 'POST', '/api/issues', { body })).status, 201)
    const { value } = await send(api, 'GET', '/api/issue-labels')
    equal(
      value.map((link: { organisation_id: number }) => link.organisation_id),
      [7],
    )
  })

  test('a trigger before the insert fills it, except on SQLite', async () => {
    equal((await differences(tracker('triggered', nested))).length, 1)
    if (db.name === 'sqlite') return
    await db.execScript(
      db.name === 'postgres'
        ? `create function fill() returns trigger language plpgsql as
             $$ begin new.organisation_id := 1; return new; end $$;
           create trigger fill before insert on triggered for each row execute function fill()`
        : 'create trigger fill before insert on triggered for each row set new.organisation_id = 1',
    )
    equal(await differences(tracker('triggered', nested)), [])
    const api = createApi({ db: db.kysely, models: tracker('triggered', nested), onWarning() {} })
    const body = { id: 3, labels: [{ id: 1 }] }
    equal((await send(api, 'POST', '/api/issues', { body })).status, 201)
  })
})
