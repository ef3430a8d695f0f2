/** Executes the curl examples of the pages on authentication in order. */
import type { AnyModel, Api, ApiRequest } from '@model-api/core'
import { createPeople, jwtKeys, peopleApi, User } from '../auth/people.ts'
import { get, send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = ['authentication', 'tokens', 'passwords', 'api-keys', 'sessions']
  .map((name) => readSource(`docs/guide/${name}.md`))
  .join('\n')

/** A command, and the response below it. */
const examples = [...page.matchAll(/```sh\n(curl[\s\S]*?)```\s+```json\n([\s\S]*?)```/g)].map(
  ([, command = '', answer = '']) => ({ command, answer: JSON.parse(answer) as unknown }),
)

/** Splits a command line into words: quotes, backslashes before quotes, line ends, and variables. */
function words(command: string, variables: Readonly<Record<string, string>>): string[] {
  const filled = command
    .replaceAll('\\\n', ' ')
    .replace(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? '')
  const parts = filled.match(/'[^']*'|"(?:\\.|[^"\\])*"|\S+/g) ?? []
  return parts.map((part) => {
    if (part.startsWith("'")) return part.slice(1, -1)
    return part.startsWith('"') ? part.slice(1, -1).replace(/\\(.)/g, '$1') : part
  })
}

async function run(api: Api, command: string, variables: Readonly<Record<string, string>>) {
  const [, ...rest] = words(command, variables)
  const headers: Record<string, string> = {}
  let [method, url, body] = ['GET', '', undefined as string | undefined]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-X') method = rest.shift() ?? ''
    else if (word === '-d') body = rest.shift()
    else if (word === '-u')
      headers.authorization = `Basic ${Buffer.from(rest.shift() ?? '').toString('base64')}`
    else if (word === '-H') {
      const [name = '', value = ''] = (rest.shift() ?? '').split(/: (.*)/)
      headers[name] = value
    } else url = word.replace('http://localhost:3000', '')
  }
  const { body: answer } = await api.handle({ method, url, headers, body })
  return answer as unknown as Record<string, unknown>
}

/** Whether a response contains everything that is shown; `…` stands for any text. */
function holds(shown: unknown, actual: unknown): boolean {
  if (shown === '…') return typeof actual === 'string' && actual !== ''
  if (typeof shown !== 'object' || shown === null) return shown === actual
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(shown).every(([key, value]) =>
    holds(value, (actual as Record<string, unknown>)[key]),
  )
}

suite('the pages on authentication', (test) => {
  test('shows the actual responses', async () => {
    const [db] = openDatabases()
    if (db === undefined) throw new Error('no database')
    await createPeople(db)
    const { api } = peopleApi(db, {
      ...jwtKeys,
      API_USER_MODEL: User,
      API_CREDENTIAL_CHECK_METHOD: 'plain',
      API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
      API_KEYS: true,
      API_AUTH_REQUIREMENTS: { GET_MANY: false },
    })
    const variables: Record<string, string> = {}
    equal(examples.length, 4)
    for (const { command, answer } of examples) {
      const actual = await run(api, command, variables)
      ok(holds(answer, actual), `${command}\n${JSON.stringify(actual, null, 2)}`)
      const value = actual.value as Record<string, string> | null
      if (value?.refresh_token === undefined) continue
      variables.REFRESH_TOKEN = value.refresh_token
      variables.ACCESS_TOKEN = value.access_token ?? ''
    }
    await db.close()
  })

  test('the user model of own sessions types its own hooks, and computes the roles', async () => {
    const [db] = openDatabases() as [TestDatabase]
    const [, code = ''] = /```ts\n(interface Member \{[\s\S]*?)```/.exec(page) ?? []
    const people: Readonly<Record<string, unknown>> = {
      ann: { id: 1, name: 'Ann', role: 'owner' },
      gus: { id: 2, name: 'Gus', role: 'guest' },
    }
    const given = {
      db: db.kysely,
      memberOfSession: ({ headers }: ApiRequest) => people[String(headers?.as)],
    }
    Object.assign(globalThis, { authenticationPage: given })
    try {
      const shown = await compiled(`// What the page shows, as a module.
import { type ApiRequest, createApi, modelsFor } from '@model-api/core'
import type { Kysely } from 'kysely'

const { db, memberOfSession } = (globalThis as unknown as {
  authenticationPage: {
    db: Kysely<{ members: Member }>
    memberOfSession(request: ApiRequest): Promise<Member | undefined>
  }
}).authenticationPage
${code}
export { api, Member }\n`)
      const { api, Member } = shown as { api: Api; Member: AnyModel }
      await createTables(db, [Member])
      await insertRows(db, Member, Object.values(people) as Record<string, unknown>[])
      const as = (name: string) => ({ headers: { as: name } })
      const patch = async (name: string, id: number, body: object) =>
        (await send(api, 'PATCH', `/api/members/${id}`, { ...as(name), body })).status
      equal((await get(api, '/auth/me', { as: 'gus' })).value, people.gus)
      equal((await send(api, 'DELETE', '/api/members/1', as('gus'))).status, 403)
      equal(await patch('gus', 2, { role: 'owner' }), 403)
      equal(await patch('ann', 2, { role: 'owner' }), 200)
      equal((await get(api, '/auth/me')).status, 401)
    } finally {
      Reflect.deleteProperty(globalThis, 'authenticationPage')
      await db.close()
    }
  })
})
