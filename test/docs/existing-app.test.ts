/** Compiles the app of docs/recipes/existing-app.md, and sends its requests through Express on every database. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type AnyModel, hashApiKey, type JsonValue } from '@model-api/core'
import type { Express } from 'express'
import type { Kysely } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = readSource('docs/recipes/existing-app.md')
const code = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = '']) => block).join('\n')

/** The members, each with a session whose cookie is the name and whose token is `token of <name>`. */
const members = [
  { id: 1, tenant_id: 1, name: 'Ann', role: 'owner' },
  { id: 2, tenant_id: 1, name: 'Gus', role: 'guest' },
  { id: 3, tenant_id: 2, name: 'Bob', role: 'owner' },
  { id: 4, tenant_id: 1, name: 'Mia', role: 'member' },
  { id: 5, tenant_id: 1, name: 'Old', role: 'member' },
] as const

interface Shown {
  // biome-ignore lint/suspicious/noExplicitAny: the tables of the page
  createApp(db: Kysely<any>): Express
  readonly Member: AnyModel
  readonly Project: AnyModel
  readonly Task: AnyModel
}

/** Whether a response contains what the page shows of it. */
function contains(shown: JsonValue, actual: unknown): boolean {
  if (typeof shown !== 'object' || shown === null) return shown === actual
  if (typeof actual !== 'object' || actual === null) return false
  if (Array.isArray(shown) && shown.length !== (actual as JsonValue[]).length) return false
  return Object.entries(shown).every(([key, value]) =>
    contains(value as JsonValue, Reflect.get(actual, key)),
  )
}

eachDatabase('the app of docs/recipes/existing-app.md', (test, db) => {
  let url: string
  let close: () => Promise<unknown>

  test.before(async () => {
    const text = `${code}\nexport { createApp, Member, Project, Task }\n`
    const { createApp, Member, Project, Task } = (await compiled(text)) as unknown as Shown
    await createTables(db, [Member, Project, Task])
    await db.execScript(`create table sessions (
      token_hash varchar(64) primary key, member_id integer not null, csrf_token varchar(80) not null, expires_at bigint not null
    )`)
    await insertRows(db, Member, members)
    for (const { id, name } of members) {
      const cookie = name.toLowerCase()
      const session = {
        token_hash: await hashApiKey(cookie),
        member_id: id,
        csrf_token: `token of ${cookie}`,
        expires_at: name === 'Old' ? 1 : Date.now() + 3_600_000,
      }
      await db.kysely.insertInto('sessions').values(session).execute()
    }
    const server = createApp(db.kysely).listen(0)
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = () => new Promise((resolve) => server.close(resolve))
  })
  test.after(async () => {
    await close?.()
  })

  async function ask(
    method: string,
    path: string,
    { as, body, headers = {} }: { as?: string; body?: string; headers?: Record<string, string> },
  ) {
    const session: Record<string, string> =
      as === undefined
        ? {}
        : { cookie: `theme=dark; session=${as}`, 'x-csrf-token': `token of ${as}` }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', connection: 'close', ...session, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    return { headers: response.headers, body: (await response.json()) as Record<string, unknown> }
  }

  test('answers as the page shows', async () => {
    const examples = examplesOf(page)
    ok(examples.length >= 7, `${examples.length} examples`)
    for (const { method, url: path, headers, body, answer, line } of examples) {
      const { as, ...others } = headers
      const given = {
        ...(as === undefined ? {} : { as }),
        ...(body === undefined ? {} : { body }),
        headers: others,
      }
      const { body: actual } = await ask(method, path, given)
      const expected = JSON.parse(answer?.text ?? 'null') as JsonValue
      ok(contains(expected, actual), `line ${line}: ${JSON.stringify(actual)}`)
    }
    const stored = await db.kysely
      .selectFrom('projects')
      .select(['tenant_id', 'author_id'])
      .execute()
    equal(stored, [{ tenant_id: 1, author_id: 1 }])
  })

  test('an expired session is none', async () => {
    equal((await ask('GET', '/api/projects', { as: 'old' })).body.status_code, 401)
  })

  test('shows the budget to members, and lets owners set it', async () => {
    const budgetFor = async (as: string) => {
      const { body } = await ask('GET', '/api/projects/1', { as })
      return (body.value as Record<string, unknown>).budget
    }
    equal(
      [await budgetFor('ann'), await budgetFor('mia'), await budgetFor('gus')],
      [900, 900, undefined],
    )
    const set = async (as: string) => {
      const { body } = await ask('PATCH', '/api/projects/1', { as, body: '{"budget":1000}' })
      return body.status_code
    }
    equal([await set('gus'), await set('mia'), await set('ann')], [403, 400, 200])
  })

  test('deletes a task for its author and for owners', async () => {
    const task = { tenant_id: 1, author_id: 4, project_id: 1, title: 'Survey' }
    await db.kysely
      .insertInto('tasks')
      .values({ id: 50, ...task })
      .execute()
    equal((await ask('DELETE', '/api/tasks/50', { as: 'bob' })).body.status_code, 404)
    equal((await ask('DELETE', '/api/tasks/50', { as: 'gus' })).body.status_code, 403)
    equal((await ask('DELETE', '/api/tasks/50', { as: 'ann' })).body.status_code, 200)
    await db.kysely
      .insertInto('tasks')
      .values([
        { id: 51, ...task },
        { id: 52, ...task, author_id: 1 },
      ])
      .execute()
    equal((await ask('DELETE', '/api/tasks/51', { as: 'mia' })).body.status_code, 200)
    equal((await ask('DELETE', '/api/tasks/52', { as: 'mia' })).body.status_code, 403)
  })

  test('counts each caller on its own', async () => {
    const left = async (as: string) => {
      const { headers } = await ask('GET', '/api/members', { as })
      return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    equal([await left('ann'), await left('ann'), await left('gus')], [99, 98, 99])
  })
})
