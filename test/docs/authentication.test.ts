/** Executes the curl examples of the pages on authentication in order, and the models of docs/recipes/register-users.md. */
import type { AnyModel, Api, ApiRequest } from '@model-api/core'
import { createPeople, jwtKeys, peopleApi, User } from '../auth/people.ts'
import { get, send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = ['authentication', 'tokens', 'passwords', 'api-keys', 'sessions']
  .map((name) => readSource(`docs/guide/${name}.md`))
  .join('\n')
const registration = readSource('docs/recipes/register-users.md')

interface Answer {
  readonly status_code?: number
  readonly value?: unknown
  readonly errors?: unknown
}

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

/** The calls of `api.refreshTokens.revokeAll`, which a callback makes after the response. */
function revocationsOf({ refreshTokens }: Api): readonly Promise<number>[] {
  const calls: Promise<number>[] = []
  const { revokeAll } = refreshTokens
  Object.assign(refreshTokens, {
    revokeAll: (user: unknown) => {
      calls.push(revokeAll(user))
      return calls.at(-1)
    },
  })
  return calls
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

  test('the user model with a write-only password registers users, and changes passwords', async () => {
    const [db] = openDatabases() as [TestDatabase]
    const [, code = ''] = /```ts\n(const checkPassword = [\s\S]*?)```/.exec(registration) ?? []
    const [, reader = ''] = /^(const hostOf = .*isChecked.*)$/m.exec(registration) ?? []
    const [, right = ''] =
      /\/\/ On the column password\n(write: [\s\S]*?),\n/.exec(registration) ?? []
    const requests = examplesOf(registration)
    Object.assign(globalThis, { authenticationPage: { db: db.kysely } })
    /** The API of the page; `own`: with the right of the second block. */
    const moduleOf = async (own: boolean) =>
      (await compiled(`// What the page shows, as a module.
import { type Api, type ApiRequest, createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'

const { db } = (globalThis as unknown as { authenticationPage: { db: any } }).authenticationPage
${own ? reader : ''}
${own ? code.replace('writeOnly: true,', `writeOnly: true, ${right},`) : code}
export { api, checkPassword, User }\n`)) as {
        api: Api
        checkPassword: (user: object, password: string) => Promise<boolean>
        User: AnyModel
      }
    const before = { ...process.env }
    Object.assign(process.env, jwtKeys)
    try {
      const { api, checkPassword, User } = await moduleOf(false)
      const revoked = revocationsOf(api)
      await createTables(db, [User])
      const stored = async () =>
        (await db.kysely.selectFrom('users').selectAll().orderBy('id').execute())[0]
      const accepts = async (password: string) =>
        checkPassword({ password: (await stored())?.password_hash }, password)
      equal(requests.length, 2)
      for (const { method, url, headers, body, answer } of requests) {
        const request = { method, url, headers: { 'content-type': 'application/json', ...headers } }
        const { body: told } = await api.handle({ ...request, body })
        const { status_code = null, value = null, errors = null } = told as unknown as Answer
        const shown = errors === null ? { status_code, value } : { status_code, errors }
        equal(shown, JSON.parse(answer?.text ?? ''), url)
        if (method === 'POST' && errors === null)
          equal(await accepts('correct horse battery'), true)
      }
      equal(
        [await accepts('correct horse battery'), await accepts('black pony stable')],
        [false, true],
      )
      equal(await Promise.all(revoked), [0])
      const { api: guarded } = await moduleOf(true)
      const revokedByGuarded = revocationsOf(guarded)
      const change = async (host?: object) => {
        const authorization = `Basic ${btoa('ann:black pony stable')}`
        const headers = { authorization, 'content-type': 'application/json' }
        const body = JSON.stringify({ password: 'black pony stable' })
        const request = { method: 'PATCH', url: '/api/users/1', headers, body }
        return (await guarded.handle({ ...request, ...(host && { host }) })).status
      }
      equal([await change(), await change({ isChecked: true })], [400, 200])
      equal(await Promise.all(revokedByGuarded), [0])
    } finally {
      process.env = before
      Reflect.deleteProperty(globalThis, 'authenticationPage')
      await db.close()
    }
  })
})
