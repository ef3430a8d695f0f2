/** Guards of host routes, the same in Express, Koa and node:http: access tokens, roles, and the current user. */
import * as http from 'node:http'
import * as inExpress from '@model-api/adapter-express'
import * as inKoa from '@model-api/adapter-koa'
import type { Api, Envelope } from '@model-api/core'
import * as inNode from '@model-api/http-node'
import express from 'express'
import Koa, { type Middleware } from 'koa'
import { basic, createPeople, jwtKeys, peopleApi } from '../auth/people.ts'
import { forge } from '../auth/tokens.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { listening } from './conformance.ts'

const otherSecret = 'another secret of the host, long enough'

function expressApp(api: Api): http.RequestListener {
  const { jwtAuthentication, requireRoles, requireUser, currentUser, modelApi } = inExpress
  const app = express()
  const name: express.RequestHandler = (req, res) =>
    void res.json({ name: currentUser(req)?.name ?? null })
  app.use(modelApi(api))
  app.get('/user', requireUser(api), name)
  app.get('/anybody', requireUser(api, { auth: false }), name)
  app.get('/admin', requireUser(api, { roles: ['admin'] }), name)
  app.get('/basic', requireUser(api, { strategies: ['basic'] }), name)
  app.get('/open', jwtAuthentication(api, { auth: false }), name)
  app.get('/known', jwtAuthentication(api), name)
  app.get('/other', jwtAuthentication(api, { secret: otherSecret }), name)
  app.get('/both', requireRoles(api, 'admin', 'viewer'), name)
  app.get('/any', requireRoles(api, 'admin', 'viewer', { any_of: true }), name)
  app.get('/unguarded', name)
  app.use(express.json())
  app.post('/echo', requireUser(api), (req, res) => {
    const user: { name: string } = currentUser<{ name: string }>(req)
    // @ts-expect-error null is a caller of whom nothing is known
    const perhaps: { name: string } = currentUser<{ name: string } | null>(req)
    res.json({ name: user.name, same: user === perhaps, title: req.body.title })
  })
  return app
}

function koaApp(api: Api): http.RequestListener {
  const { jwtAuthentication, requireRoles, requireUser, currentUser, modelApi } = inKoa
  const guards: Record<string, Middleware> = {
    '/user': requireUser(api),
    '/anybody': requireUser(api, { auth: false }),
    '/admin': requireUser(api, { roles: ['admin'] }),
    '/basic': requireUser(api, { strategies: ['basic'] }),
    '/open': jwtAuthentication(api, { auth: false }),
    '/known': jwtAuthentication(api),
    '/other': jwtAuthentication(api, { secret: otherSecret }),
    '/both': requireRoles(api, 'admin', 'viewer'),
    '/any': requireRoles(api, 'admin', 'viewer', { any_of: true }),
    '/unguarded': (_ctx, next) => next(),
  }
  const app = new Koa()
  app.use(modelApi(api))
  app.use(async (ctx, next) => guards[ctx.path]?.(ctx, next))
  app.use((ctx) => {
    ctx.body = { name: currentUser(ctx)?.name ?? null }
  })
  return app.callback() as http.RequestListener
}

function nodeApp(api: Api): http.RequestListener {
  const { requireUser, currentUser, listener } = inNode
  const guards: Readonly<Record<string, ReturnType<typeof requireUser>>> = {
    '/user': requireUser(api),
    '/anybody': requireUser(api, { auth: false }),
    '/admin': requireUser(api, { roles: ['admin'] }),
    '/basic': requireUser(api, { strategies: ['basic'] }),
    '/unguarded': (_req, _res, next) => next(),
  }
  return listener(api, {
    fallback: (req, res) => {
      const pass = () => void res.end(JSON.stringify({ name: currentUser(req)?.name ?? null }))
      const guard = guards[req.url ?? '']
      if (guard === undefined) res.writeHead(404).end()
      else guard(req, res, pass)
    },
  })
}

eachDatabase('guards', (test, db) => {
  const servers: { name: string; port: number; stop(): Promise<void> }[] = []
  let tokens: Record<'ann' | 'bob' | 'host' | 'wrong', string>

  test.before(async () => {
    await createPeople(db)
    tokens = {
      ann: await forge({ payload: { sub: '1' } }),
      bob: await forge({ payload: { sub: '2' } }),
      host: await forge({ payload: { sub: '2' }, secret: otherSecret }),
      wrong: await forge({ secret: 'x'.repeat(40) }),
    }
    const { api } = peopleApi(db, { ...jwtKeys, API_AUTHENTICATE_METHOD: ['jwt', 'basic'] })
    const apps = { express: expressApp(api), koa: koaApp(api), node: nodeApp(api) }
    for (const [name, app] of Object.entries(apps)) {
      servers.push({ name, ...(await listening(http.createServer(app))) })
    }
  })
  test.after(async () => {
    for (const server of servers) await server.stop()
  })

  const everywhere = async (
    path: string,
    who: keyof typeof tokens | undefined,
    check: (response: Response, body: unknown) => void,
  ): Promise<void> => {
    const headers = who === undefined ? {} : { authorization: `Bearer ${tokens[who]}` }
    await ask(path, headers, check)
  }
  const ask = async (
    path: string,
    headers: Record<string, string>,
    check: (response: Response, body: unknown) => void,
  ): Promise<void> => {
    for (const { name, port } of servers) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      // node:http has only requireUser.
      if (name === 'node' && response.status === 404) continue
      check(response, await response.json())
    }
  }
  const answers = (path: string, who: keyof typeof tokens | undefined, expected: unknown) =>
    everywhere(path, who, (response, body) => {
      const { name, errors } = body as { name?: string; errors?: Envelope['errors'] }
      equal(response.status === 200 ? name : response.status, expected, JSON.stringify(errors))
    })

  test('a valid access token passes, and the handler gets the user', async () => {
    await answers('/known', 'ann', 'ann')
    await answers('/known', 'wrong', 401)
  })

  test('strategies names those that a route accepts, of those that are enabled', async () => {
    await answers('/user', 'ann', 'ann')
    await answers('/basic', 'ann', 401)
    await answers('/basic', undefined, 401)
    let asked = 0
    await ask('/basic', basic('ann', 'correct horse'), (response, body) => {
      asked += 1
      equal([response.status, body], [200, { name: 'ann' }])
    })
    equal(asked, 3)
  })

  test('without a token: 401 in the API’s envelope, with the challenge', () =>
    everywhere('/known', undefined, (response, body) => {
      const { errors, api_version, value } = body as Envelope
      equal(response.status, 401)
      equal([errors?.error, errors?.reason], ['Unauthorized', 'Authorization header missing'])
      equal([api_version, value], ['1.0.0', null])
      match(response.headers.get('www-authenticate') ?? '', 'Bearer')
    }))

  test('a handler after a guard has the body and the user', async () => {
    const express = servers.find(({ name }) => name === 'express')
    const response = await fetch(`http://127.0.0.1:${express?.port}/echo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
      body: '{"title":"Emma"}',
    })
    equal(await response.json(), { name: 'ann', same: true, title: 'Emma' })
  })

  test('auth: false admits anonymous requests, but no invalid token', async () => {
    await answers('/open', undefined, null)
    await answers('/open', 'bob', 'bob')
    await answers('/open', 'wrong', 401)
  })

  test('requireUser accepts every strategy of the API, and responds as the API does', async () => {
    for (const path of ['/user', '/anybody', '/admin']) {
      await answers(path, 'ann', 'ann')
      await answers(path, 'wrong', 401)
      let answered = 0
      await ask(path, basic('ann', 'correct horse'), ({ status }, body) => {
        equal([status, body], [200, { name: 'ann' }])
        answered += 1
      })
      equal(answered, 3)
    }
    await ask('/known', basic('ann', 'correct horse'), ({ status }) => equal(status, 401))
    await answers('/user', 'bob', 'bob')
    await answers('/admin', 'bob', 403)
    await answers('/admin', undefined, 401)
    await answers('/anybody', undefined, null)
    await everywhere('/user', undefined, ({ status, headers }, body) => {
      const { errors, value } = body as Envelope
      equal([status, errors?.code, value], [401, 'authorization_missing', null])
      match(headers.get('www-authenticate') ?? '', /Bearer.*Basic/)
    })
  })

  test('an explicit secret replaces the configured one', async () => {
    await answers('/other', 'host', 'bob')
    await answers('/other', 'ann', 401)
  })

  test('all roles are required, or any of them', async () => {
    await answers('/both', 'ann', 403)
    await answers('/any', 'ann', 'ann')
    await answers('/any', 'bob', 'bob')
    await answers('/any', undefined, 403)
    await answers('/any', 'wrong', 401)
  })

  test('routes without a guard are public, and have no user', async () => {
    await answers('/unguarded', 'ann', null)
    await answers('/unguarded', undefined, null)
  })

  test('the API beside them authenticates independently', async () => {
    await everywhere('/api/books', undefined, (response) => equal(response.status, 401))
    await everywhere('/api/books', 'bob', (response) => equal(response.status, 200))
  })
})

suite('requireRoles', (test) => {
  test('throws at once if it is called without a role', () => {
    for (const { requireRoles } of [inExpress, inKoa]) {
      const error = throws(() => requireRoles({} as Api, { any_of: true }))
      ok(String(error).includes('at least one role'), String(error))
    }
  })
})
