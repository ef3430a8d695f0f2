/** Compiles and executes the tests of docs/recipes/testing.md and the session of docs/guide/sessions.md. */

import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

type Named = readonly [name: string, run: () => Promise<void>]

/** The TypeScript below a heading of a page, or of the whole page. */
function codeOf(page: string, heading = ''): string {
  const text = readSource(page)
  const section =
    heading === '' ? text : (text.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')[0]
  return [...(section ?? '').matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n')
}

/** Replaces the test runner: collects the tests. */
const collected = `const tests: (readonly [string, () => Promise<void>])[] = []
const test = (name: string, run: () => Promise<void>) => void tests.push([name, run])
`

suite('the page on testing', (test) => {
  test('shows tests that pass', async () => {
    const code = codeOf('docs/recipes/testing.md').replace(
      /^import \{ test \} from 'node:test'\n/m,
      '',
    )
    const imports = code.match(/^(?:import .*\n)+/)?.[0] ?? ''
    const body = code.slice(imports.length)
    const { tests } = await compiled(`${imports}${collected}${body}\nexport { tests }`)
    for (const [name, run] of tests as readonly Named[]) {
      try {
        await run()
      } catch (error) {
        throw new Error(`"${name}" fails`, { cause: error })
      }
    }
    equal((tests as readonly Named[]).length, 5)
  })
})

suite('a session of the host', (test) => {
  test('identifies the user if the request comes from the same site', async () => {
    const [session = ''] = codeOf('docs/guide/sessions.md').split('interface Member ')
    const code = `${session}${codeOf('docs/guide/passwords.md', 'A login of your own')}`
    const { statusOf, userOf, addUser } = (await compiled(`
import { type ApiRequest, createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
const Book = defineModel('Book', { columns: { id: { type: 'integer', primaryKey: true, generated: true } }, meta: {} })
const database = new Sqlite(':memory:')
database.exec('create table books (id integer primary key); create table users (id integer primary key, name text, password_hash text)')
const db = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
const models = [Book] as const
${code}
export async function statusOf(method: string, user?: object, site?: string): Promise<number> {
  const form = method === 'QUERY' || method === 'POST as QUERY'
  const headers = {
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    ...(method === 'POST as QUERY' ? { 'x-http-method-override': 'QUERY' } : {}),
    ...(site === undefined ? {} : { 'sec-fetch-site': site }),
  }
  const body = form ? { body: 'limit=1' } : method === 'POST' ? { body: {} } : {}
  return (await api.handle({ method: method.replace(/ .*/, ''), url: '/api/books', headers, host: { session: { user } }, ...body })).status
}
export async function addUser(name: string, password: string): Promise<void> {
  await db.insertInto('users').values({ name, password_hash: await hashPassword(password) }).execute()
}
export { userOf }`)) as {
      statusOf(method: string, user?: object, site?: string): Promise<number>
      userOf(name: string, password: string): Promise<{ name: string } | undefined>
      addUser(name: string, password: string): Promise<void>
    }
    const user = { id: 1 }
    equal(await statusOf('GET'), 401)
    equal(await statusOf('GET', user), 200)
    equal(await statusOf('QUERY', user), 200)
    equal(await statusOf('POST as QUERY', user), 401)
    equal(await statusOf('POST as QUERY', user, 'same-origin'), 200)
    equal(await statusOf('POST', user), 401)
    equal(await statusOf('POST', user, 'cross-site'), 401)
    equal(await statusOf('POST', user, 'same-origin'), 201)
    await addUser('ann', 'correct horse')
    equal((await userOf('ann', 'correct horse'))?.name, 'ann')
    equal([await userOf('ann', 'wrong'), await userOf('bob', 'wrong')], [undefined, undefined])
  })
})
