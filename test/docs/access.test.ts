/** The examples of docs/access.md are executed against the models it shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Api,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  type JsonValue,
  policyFor,
} from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { type Example, examplesOf, printJson } from '../support/examples.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const file = fileURLToPath(new URL('../../docs/access.md', import.meta.url))
const update = process.env.UPDATE_DOCS === '1'

const users: Readonly<Record<string, unknown>> = {
  ann: { id: 1, roles: ['viewer', 'editor'] },
  bob: { id: 2, roles: ['viewer'] },
}

function modelsOf(db: TestDatabase['kysely']) {
  const id = { type: 'integer', primaryKey: true, generated: true } as const
  const Project = defineModel('Project', {
    columns: {
      id,
      name: { type: 'string', maxLength: 80 },
      owner_id: { type: 'integer' },
      margin: { type: 'integer', nullable: true, hidden: true },
    },
    relations: { tasks: hasMany('Task', 'project_id'), invoices: hasMany('Invoice', 'project_id') },
    meta: {
      allow_join: true,
      role_map: { GET: 'viewer', POST: ['viewer', 'editor'], '*': 'admin' },
      access_policy: {
        scope_query: (query, { user }) => query.where('owner_id', '=', user.id),
        can_create: (project, { user }) => project.owner_id === user.id,
      },
    },
  })
  const Task = defineModel('Task', {
    columns: {
      id,
      title: { type: 'string' },
      project_id: { type: 'integer' },
      private: { type: 'boolean' },
    },
    relations: { project: belongsTo('Project', 'project_id') },
    meta: {},
  })
  const readable = policyFor(Task, db, {
    can_read: (task, { user }) => !task.private || user.roles.includes('editor'),
  })
  const Invoice = defineModel('Invoice', {
    columns: { id, amount: { type: 'integer' }, project_id: { type: 'integer' } },
    meta: { role_map: { ALL: 'accountant' } },
  })
  return {
    Project,
    Task: { ...Task, meta: { allow_join: true, access_policy: readable } },
    Invoice,
  }
}

suite('examples of docs/access.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  let api: Api
  const text = readFileSync(file, 'utf8')
  const examples = examplesOf(text)

  test.before(async () => {
    const { Project, Task, Invoice } = modelsOf(db.kysely)
    const models = [Project, Task, Invoice]
    await createTables(db, models)
    await insertRows(db, Project, [
      { id: 1, name: 'Harbour', owner_id: 1, margin: 12 },
      { id: 2, name: 'Tunnel', owner_id: 1, margin: 9 },
      { id: 3, name: 'Ferry', owner_id: 2, margin: 30 },
    ])
    await insertRows(db, Task, [
      { id: 1, title: 'Survey', project_id: 1, private: false },
      { id: 2, title: 'Tickets', project_id: 3, private: false },
      { id: 3, title: 'Salaries', project_id: 3, private: true },
    ])
    await insertRows(db, Invoice, [{ id: 1, amount: 100, project_id: 1 }])
    api = createApi({ db: db.kysely, models, clock: frozenClock(), onWarning: () => {} })
  })
  test.after(() => db.close())

  /** Status and what the example is about, without the members that are null or are about time. */
  const answerOf = async ({ method, url, headers, body }: Example): Promise<unknown> => {
    const user = users[headers.as ?? '']
    ok(user !== undefined, `no such user: ${headers.as}`)
    const request = { method, url, headers: { 'content-type': 'application/json' }, user }
    const answer = await api.handle({ ...request, ...(body === undefined ? {} : { body }) })
    const { status_code, total_count, value, errors } = answer.body as unknown as Record<
      string,
      unknown
    >
    return errors === null
      ? { status_code, ...(Array.isArray(value) ? { total_count } : {}), value }
      : { status_code, errors }
  }

  if (update) {
    test('are written', async () => {
      const lines = text.split('\n')
      for (const example of [...examples].reverse()) {
        const { answer } = example
        if (answer === undefined) continue
        const shown = printJson((await answerOf(example)) as JsonValue).split('\n')
        lines.splice(answer.first + 1, answer.last - answer.first - 1, ...shown)
      }
      writeFileSync(file, lines.join('\n'))
    })
    return
  }

  for (const example of examples) {
    test(`${example.line}: ${example.method} ${example.url} as ${example.headers.as}`, async () => {
      ok(example.answer !== undefined, 'it shows no answer')
      equal(await answerOf(example), JSON.parse(example.answer.text))
    })
  }

  test('the explanation is the one that is shown', async () => {
    const shown = /explainAccess[\s\S]*?```json\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    const explained = await api.explainAccess(users.bob, { method: 'POST', url: '/api/projects' })
    equal(explained, JSON.parse(shown))
  })
})
