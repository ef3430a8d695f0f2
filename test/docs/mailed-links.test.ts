/** Signs up and resets passwords by the links of docs/recipes/mailed-links.md, through Express. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { modelApi } from '@model-api/adapter-express'
import { type AnyModel, type Api, hashApiKey } from '@model-api/core'
import express from 'express'
import { jwtKeys } from '../auth/people.ts'
import { send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const page = readSource('docs/recipes/mailed-links.md')
const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(page) ?? []

interface Mail {
  readonly to: string
  readonly subject: string
  readonly token: string
}

const first = 'correct horse battery'
const second = 'black pony stable'
const tenMinutes = 10 * 60_000

eachDatabase('links by mail', (test, db) => {
  const mails: Mail[] = []
  const before = { ...process.env }
  const now = Date.now
  /** What `sendMail` waits for. */
  let delivery: Promise<unknown> = Promise.resolve()
  let called = 0
  let api: Api
  let url = ''
  let close = async () => {}

  test.before(async () => {
    Object.assign(process.env, jwtKeys)
    const app = express()
    const sendMail = async (to: string, subject: string, link: string) => {
      called++
      await delivery
      mails.push({ to, subject, token: link.split('#')[1] ?? '' })
    }
    Object.assign(globalThis, { mailedLinks: { db: db.kysely, app, sendMail } })
    const shown = await compiled(`// What the page shows, as a module.
import { type Api, apiError, createApi, defineModel, hashApiKey, hashPassword, passwordCheck } from '@model-api/core'
import express, { type Express } from 'express'
import type { Kysely } from 'kysely'

const { db, app, sendMail } = (globalThis as unknown as {
  mailedLinks: { db: Kysely<any>; app: Express; sendMail: (to: string, subject: string, link: string) => Promise<void> }
}).mailedLinks
${code}
export { api, MailedLink, User }\n`)
    api = shown.api as Api
    await createTables(db, [shown.User, shown.MailedLink] as AnyModel[])
    app.use(modelApi(api))
    const server = app.listen(0)
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })
  test.after(async () => {
    process.env = before
    Date.now = now
    Reflect.deleteProperty(globalThis, 'mailedLinks')
    await close()
  })

  const links = () => db.kysely.selectFrom('mailed_links').selectAll().orderBy('id').execute()
  /** Resolves when `condition` holds. */
  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await condition()); tries++) {
      ok(tries < 500, 'nothing happened within 5 seconds')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const ask = (email: string, from = '192.0.2.1') =>
    api.handle({
      method: 'POST',
      url: '/api/mailed-links',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
      ip: from,
    })
  /** Asks for a link and returns the mail with it. */
  async function mailTo(email: string, from?: string): Promise<Mail> {
    const already = mails.length
    equal((await ask(email, from)).status, 201)
    await until(() => mails.length > already)
    return mails[already] as Mail
  }
  async function choose(token: unknown, password: unknown) {
    const response = await fetch(`${url}/api/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password }),
    })
    const text = await response.text()
    return { status: response.status, reason: text === '' ? null : JSON.parse(text).errors?.reason }
  }
  /** Logs in through Express with the first password. */
  const login = async (username: unknown): Promise<number> => {
    const { status } = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: first }),
    })
    return status
  }
  const logIn = (username: string, password: string) =>
    send(api, 'POST', '/auth/login', { body: { username, password } })

  test('sign up an unknown address, by what the page shows', async () => {
    const [request] = examplesOf(page)
    const { method = '', url = '', body = '', answer } = request ?? {}
    const { status, value } = await send(api, method, url, { body: JSON.parse(body) })
    equal({ status_code: status, value }, JSON.parse(answer?.text ?? ''))
    await until(() => mails.length === 1)
    const [{ to, subject, token }] = mails as [Mail]
    equal([to, subject, token.length], ['ann@example.com', 'Welcome', 64])
    // The token is stored only as its hash.
    const [link] = await links()
    equal(
      [link?.token_hash, JSON.stringify(link).includes(token)],
      [await hashApiKey(token), false],
    )
    equal(await choose(token, first), { status: 204, reason: null })
    equal((await logIn('ann@example.com', first)).status, 200)
    // The form of the page takes an address in any letter case.
    equal([await login('Ann@Example.COM'), await login(5)], [200, 400])
    equal([(await choose(token, second)).status, (await links()).length], [403, 0])
  })

  test('answer known and unknown addresses alike, before the user is looked up and mailed', async () => {
    let deliver = () => {}
    delivery = new Promise<void>((resolve) => {
      deliver = resolve
    })
    const already = mails.length
    const told = []
    for (const email of ['ann@example.com', 'eve@example.com']) {
      const before = called
      const { result, statements } = await db.capture(() => ask(email, '192.0.2.2'))
      const {
        datetime: _,
        response_ms: __,
        request_id: ___,
        ...body
      } = result.body as object as Record<string, unknown>
      const stored = statements.findIndex(({ sql }) => /^insert into .mailed_links/.test(sql))
      ok(stored !== -1)
      const sent = statements.slice(0, stored + 1).map(({ sql }) => sql)
      equal(
        sent.filter((sql) => /users/.test(sql)),
        [],
      )
      told.push({ status: result.status, body, sent })
      await until(() => called > before)
    }
    equal(told[0], told[1])
    equal(mails.length, already)
    deliver()
    await until(() => mails.length === already + 2)
    equal(
      mails
        .slice(already)
        .map(({ to, subject }) => `${to}: ${subject}`)
        .sort(),
      ['ann@example.com: Your new password', 'eve@example.com: Welcome'],
    )
  })

  test('end the sessions of the user, whose address may be spelt in other letters', async () => {
    const { value } = await logIn('ann@example.com', first)
    const user = await db.kysely
      .selectFrom('users')
      .selectAll()
      .where('email', '=', 'ann@example.com')
      .executeTakeFirst()
    const { key } = await api.apiKeys.create(user, { name: 'scale' })
    const withKey = async () =>
      (await send(api, 'GET', '/api/users', { headers: { authorization: `Api-Key ${key}` } }))
        .status
    equal(await withKey(), 200)
    const { token } = await mailTo('Ann@Example.COM', '192.0.2.3')
    equal((await choose(token, 'short')).status, 400)
    equal([(await choose(token, second)).status, await withKey()], [204, 401])
    const { refresh_token } = value
    const refreshed = await send(api, 'POST', '/auth/refresh', { body: { refresh_token } })
    equal(refreshed.status, 403)
    equal(
      [
        (await logIn('ann@example.com', first)).status,
        (await logIn('ann@example.com', second)).status,
      ],
      [401, 200],
    )
    equal((await db.kysely.selectFrom('users').selectAll().execute()).length, 1)
  })

  test('of a user whom the host has stored in other letters log this user in', async () => {
    const { users } = api.as('system') as unknown as {
      users: { create(user: object): { unwrap(): Promise<{ id: number }> } }
    }
    const { id } = await users.create({ email: 'Boss@Example.ORG', password: first }).unwrap()
    equal([await login('boss@example.org'), await login('Boss@Example.ORG')], [200, 200])
    await db.kysely.deleteFrom('users').where('id', '=', id).execute()
  })

  test('of twenty uses at once, one succeeds', async () => {
    for (const email of ['ann@example.com', 'bob@example.com']) {
      const { token } = await mailTo(email, '192.0.2.4')
      const uses = await Promise.all(
        Array.from({ length: 20 }, (_, i) => choose(token, `the password number ${i}`)),
      )
      const statuses = uses.map(({ status }) => status)
      equal([...statuses].sort(), [204, ...Array(19).fill(403)])
      equal((await logIn(email, `the password number ${statuses.indexOf(204)}`)).status, 200)
    }
  })

  test('are refused when they are unknown or no text, and after half an hour', async () => {
    equal((await choose('0'.repeat(64), second)).status, 403)
    equal((await choose({ a: 1 }, second)).status, 403)
    const { token } = await mailTo('carl@example.com', '192.0.2.5')
    const started = now()
    Date.now = () => started + 4 * tenMinutes
    const refused = await choose(token, second)
    equal(
      [refused.status, refused.reason],
      [403, 'This link has expired or was used. Ask for another one.'],
    )
    // Links that have expired are deleted with the next mail.
    await mailTo('dora@example.com', '192.0.2.6')
    equal(
      (await links()).map(({ email }) => email),
      ['dora@example.com'],
    )
    Date.now = now
  })

  test('are mailed three times to an address, which gets the same response for a fourth', async () => {
    const from = '192.0.2.7'
    for (let n = 0; n < 3; n++) await mailTo('fred@example.com', from)
    const already = mails.length
    equal((await ask('fred@example.com', from)).status, 201)
    // The mail of another request, which is later, arrives.
    await mailTo('gail@example.com', from)
    equal(
      mails.slice(already).map(({ to }) => to),
      ['gail@example.com'],
    )
    equal((await ask('gail@example.com', from)).status, 429)
  })

  test('are the only way to write users', async () => {
    const headers = { authorization: `Basic ${btoa(`ann@example.com:nothing`)}` }
    const statuses = []
    const body = { email: 'eve@example.com', password: second }
    statuses.push((await send(api, 'POST', '/api/users', { body })).status)
    statuses.push((await send(api, 'GET', '/api/mailed-links', { headers })).status)
    statuses.push(
      (await send(api, 'POST', '/api/mailed-links', { body: { ...body, token_hash: 'x' } })).status,
    )
    equal(statuses, [401, 405, 400])
  })
})
