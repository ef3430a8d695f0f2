/** Registers users and changes passwords by docs/recipes/register-users.md, through Express. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { modelApi } from '@model-api/adapter-express'
import type { AnyModel, Api } from '@model-api/core'
import express from 'express'
import { jwtKeys } from '../auth/people.ts'
import { send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const page = readSource('docs/recipes/register-users.md')
const [code = '', guarded = ''] = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(
  ([, block = '']) => block,
)
const [, right = '', route = ''] =
  /\/\/ On the column password\n(write: .*?),\n\n(.*)$/s.exec(guarded) ?? []
const reader = guarded.slice(0, guarded.indexOf('// On the column password'))
const requests = examplesOf(page)

const [first, second, third] = [
  'correct horse battery',
  'black pony stable',
  'a white horse battery',
] as const

interface Shown {
  readonly api: Api
  readonly User: AnyModel
}

eachDatabase('users who register', (test, db) => {
  const before = { ...process.env }
  test.before(() => void Object.assign(process.env, jwtKeys))
  test.after(() => {
    process.env = before
  })

  /** The API of the page; `asks`: with the route that asks for the old password, which `app` gets; `keys`: in place of the setting. */
  async function shown(asks: boolean, keys = 'API_KEYS: true,', app = express()): Promise<Shown> {
    const models = code
      .replace('API_KEYS: true,', keys)
      .replace('  db,\n', '  db,\n  onError: () => {},\n')
    Object.assign(globalThis, { registration: { db: db.kysely, app } })
    try {
      const exported = await compiled(`// What the page shows, as a module.
import { currentUser, requireUser } from '@model-api/adapter-express'
import { type Api, type ApiRequest, createApi, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import express, { type Express } from 'express'
import type { Kysely } from 'kysely'

export const { db, app } = (globalThis as unknown as { registration: { db: Kysely<any>; app: Express } }).registration
export { currentUser, express, requireUser, type ApiRequest }
interface Member { readonly id: number }
export type { Member }
${asks ? reader : ''}
${asks ? models.replace('writeOnly: true,', `writeOnly: true, ${right},`) : models}
${asks ? route : ''}
export { api, User }\n`)
      return exported as unknown as Shown
    } finally {
      Reflect.deleteProperty(globalThis, 'registration')
    }
  }
  const basic = (password: string) => ({ authorization: `Basic ${btoa(`ann:${password}`)}` })
  const accepts = async (api: Api, password: string) =>
    (await send(api, 'GET', '/auth/me', { headers: basic(password) })).status === 200
  /** Signs ann in; returns whether her refresh token and her API key are still accepted. */
  async function signIn(api: Api, password: string) {
    const { value } = await send(api, 'POST', '/auth/login', {
      body: { username: 'ann', password },
    })
    const { key } = await api.apiKeys.create({ id: 1, name: 'ann' }, { name: 'scale' })
    const headers = { authorization: `Api-Key ${key}` }
    return async () => {
      const byKey = await send(api, 'GET', '/api/users', { headers })
      const { refresh_token } = value
      const refreshed = await send(api, 'POST', '/auth/refresh', { body: { refresh_token } })
      return [byKey.status, refreshed.status]
    }
  }

  test('get the responses that the page shows, and a new password ends their sessions', async () => {
    const { api, User } = await shown(false)
    await createTables(db, [User])
    equal(requests.length, 2)
    const [register, change] = requests
    const sent = async ({ method, url, headers, body, answer }: (typeof requests)[number]) => {
      const { status, value } = await send(api, method, url, {
        headers,
        body: JSON.parse(body ?? ''),
      })
      equal({ status_code: status, value }, JSON.parse(answer?.text ?? ''), url)
    }
    ok(register !== undefined && change !== undefined)
    await sent(register)
    equal([await accepts(api, first), await accepts(api, second)], [true, false])
    const sessions = await signIn(api, first)
    const renamed = { headers: basic(first), body: { name: 'ann' } }
    equal((await send(api, 'PATCH', '/api/users/1', renamed)).status, 200)
    await sent(change)
    equal(await sessions(), [401, 403])
    equal([await accepts(api, first), await accepts(api, second)], [false, true])
  })

  test('beyond what the queue of hashes holds are refused at once', async () => {
    const { api } = await shown(false, 'API_KEYS: true, API_PASSWORD_COST: 4,')
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) =>
        send(api, 'POST', '/api/users', { body: { name: `user ${i}`, password: first } }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    equal(new Set(statuses), new Set([201, 503]))
    equal(statuses.filter((status) => status === 201).length >= 100, true)
    equal(answers.find(({ status }) => status === 503)?.headers['retry-after'], '1')
  })

  test('keep their sessions when the change is refused or another one', async () => {
    const { api } = await shown(false)
    const sessions = await signIn(api, second)
    const patch = async (body: object) =>
      (await send(api, 'PATCH', '/api/users/1', { headers: basic(second), body })).status
    equal([await patch({ name: 'ann' }), await patch({ password: 'short' })], [200, 400])
    equal((await patch({ password: third, name: null as never })) >= 400, true)
    equal(await sessions(), [200, 200])
  })

  test('change the password only with the old one, where a route asks for it', async () => {
    const app = express()
    const { api } = await shown(true, undefined, app)
    app.use(modelApi(api))
    const server = app.listen(0)
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const change = async (old: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/api/password`, {
          method: 'POST',
          headers: { ...basic(second), 'content-type': 'application/json' },
          body: JSON.stringify({ old, password: third }),
        })
        await response.text()
        return response.status
      }
      const sessions = await signIn(api, second)
      const body = { password: third }
      const direct = await send(api, 'PATCH', '/api/users/1', { headers: basic(second), body })
      equal([direct.status, await change(first)], [400, 403])
      equal([await change(second), await sessions()], [200, [401, 403]])
      equal([await accepts(api, second), await accepts(api, third)], [false, true])
    } finally {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })
})
