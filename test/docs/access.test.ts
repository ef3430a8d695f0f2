/** Executes the examples of docs/guide/access.md with the models that the page shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyModel, type Api, createApi, type JsonValue } from '@model-api/core'
import { frozenClock } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { type Example, examplesOf, printJson } from '../support/examples.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const file = fileURLToPath(new URL('../../docs/guide/access.md', import.meta.url))
const update = process.env.UPDATE_DOCS === '1'

const users: Readonly<Record<string, unknown>> = {
  ann: { id: 1, roles: ['viewer', 'editor'] },
  bob: { id: 2, roles: ['viewer'] },
  eve: { id: 2, roles: ['viewer', 'accountant'] },
}

/** The TypeScript of the page as one module, which gets the database of the test. */
const moduleOf = (page: string): string => {
  const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  return `// What the page shows, as a module.
import { type AccessPolicy, belongsTo, createApi, defineModel, hasMany, modelsFor, policyFor } from '@model-api/core'
import type { Kysely } from 'kysely'

interface Tables {
  readonly notes: { readonly id: number; readonly owner_id: number }
  readonly members: { readonly user_id: number; readonly team: string }
}
const db = (globalThis as unknown as { accessPage: Kysely<Tables> }).accessPage
${code.join('\n')}
export { api, Diary, explanation, Invoice, Project, seenByMembers, seenByOwners, seenByTeam, Task }\n`
}

suite('examples of docs/guide/access.md', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  let api: Api
  const text = readFileSync(file, 'utf8')
  const examples = examplesOf(text)

  let shown: Readonly<Record<string, unknown>>

  test.before(async () => {
    Object.assign(globalThis, { accessPage: db.kysely })
    try {
      shown = await compiled(moduleOf(text))
    } finally {
      Reflect.deleteProperty(globalThis, 'accessPage')
    }
    const { Project, Task, Invoice } = shown as Record<'Project' | 'Task' | 'Invoice', AnyModel>
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

  /** Status and body of an example, without members that are null or contain times. */
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
    test('are updated', async () => {
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

  test('the explanation is printed as shown', async () => {
    const expected = /explainAccess[\s\S]*?```json\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    equal(shown.explanation, JSON.parse(expected))
  })

  test('a scope through a relation, and one that is a function', async () => {
    const { Project, Task, Invoice, seenByMembers, seenByOwners } = shown as Record<
      string,
      AnyModel
    >
    const seen = async (access_policy: unknown) => {
      const models = [{ ...Project, meta: { access_policy } }, Task, Invoice] as AnyModel[]
      const own = createApi({ db: db.kysely, models, onWarning: () => {} })
      const request = { method: 'GET', url: '/api/projects', headers: {}, user: users.bob }
      const { body } = await own.handle(request)
      return (
        body as unknown as { readonly value: readonly { readonly name: string }[] }
      ).value.map(({ name }) => name)
    }
    equal(await seen(seenByMembers), ['Harbour', 'Ferry'])
    equal(await seen(seenByOwners), ['Ferry'])
  })

  test('a policy typed with the tables of the database', async () => {
    await db.execScript('create table members (user_id integer, team text)')
    const notes = shown.seenByTeam as AnyModel
    await createTables(db, [notes])
    await db.execScript("insert into members values (1, 'blue'), (2, 'red')")
    await insertRows(db, notes, [
      { id: 1, owner_id: 1 },
      { id: 2, owner_id: 2 },
    ])
    const own = createApi({ db: db.kysely, models: [notes], onWarning: () => {} })
    const user = { team: 'red' }
    const { body } = await own.handle({ method: 'GET', url: '/api/notes', headers: {}, user })
    equal(body?.value, [{ id: 2, owner_id: 2 }])
  })
})
