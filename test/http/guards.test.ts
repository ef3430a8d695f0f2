/** Guards of host routes, in Express and Koa alike: access tokens, roles, who the user is. */
import * as http from 'node:http'
import * as inExpress from '@model-api/adapter-express'
import * as inKoa from '@model-api/adapter-koa'
import type { Api, Envelope } from '@model-api/core'
import express from 'express'
import Koa, { type Middleware } from 'koa'
import { createPeople, jwtKeys, peopleApi } from '../auth/people.ts'
import { forge } from '../auth/tokens.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { listening } from './conformance.ts'

const otherSecret = 'another secret of the host, long enough'

function expressApp(api: Api): http.RequestListener {
  const { jwtAuthentication, requireRoles, currentUser, modelApi } = inExpress
  const app = express()
  const name: express.RequestHandler = (req, res) =>
    void res.json({ name: currentUser(req)?.name ?? null })
  app.use(modelApi(api))
  app.get('/open', jwtAuthentication(api, { auth: false }), name)
  app.get('/known', jwtAuthentication(api), name)
  app.get('/other', jwtAuthentication(api, { secret: otherSecret }), name)
  app.get('/both', requireRoles(api, 'admin', 'viewer'), name)
  app.get('/any', requireRoles(api, 'admin', 'viewer', { any_of: true }), name)
  app.get('/unguarded', name)
  return app
}

function koaApp(api: Api): http.RequestListener {
  const { jwtAuthentication, requireRoles, currentUser, modelApi } = inKoa
  const guards: Record<string, Middleware> = {
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
    const { api } = peopleApi(db, jwtKeys)
    for (const [name, app] of Object.entries({ express: expressApp(api), koa: koaApp(api) })) {
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
    for (const { port } of servers) {
      const headers = who === undefined ? {} : { authorization: `Bearer ${tokens[who]}` }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      check(response, await response.json())
    }
  }
  const answers = (path: string, who: keyof typeof tokens | undefined, expected: unknown) =>
    everywhere(path, who, (response, body) => {
      const { name, errors } = body as { name?: string; errors?: Envelope['errors'] }
      equal(response.status === 200 ? name : response.status, expected, JSON.stringify(errors))
    })

  test('a valid access token passes, and the user is known', async () => {
    await answers('/known', 'ann', 'ann')
    await answers('/known', 'wrong', 401)
  })

  test('without a token: 401 in the API’s envelope, with the challenge', () =>
    everywhere('/known', undefined, (response, body) => {
      const { errors, api_version, value } = body as Envelope
      equal(response.status, 401)
      equal([errors?.error, errors?.reason], ['Unauthorized', 'Authorization header missing'])
      equal([api_version, value], ['1.0.0', null])
      match(response.headers.get('www-authenticate') ?? '', 'Bearer')
    }))

  test('auth: false lets nobody pass too, but no wrong token', async () => {
    await answers('/open', undefined, null)
    await answers('/open', 'bob', 'bob')
    await answers('/open', 'wrong', 401)
  })

  test('an explicit secret replaces the configured one', async () => {
    await answers('/other', 'host', 'bob')
    await answers('/other', 'ann', 401)
  })

  test('all roles are needed, or any of them', async () => {
    await answers('/both', 'ann', 403)
    await answers('/any', 'ann', 'ann')
    await answers('/any', 'bob', 'bob')
    await answers('/any', undefined, 403)
    await answers('/any', 'wrong', 401)
  })

  test('routes without a guard are public, and know nobody', async () => {
    await answers('/unguarded', 'ann', null)
    await answers('/unguarded', undefined, null)
  })

  test('the API beside them authenticates by itself', async () => {
    await everywhere('/api/books', undefined, (response) => equal(response.status, 401))
    await everywhere('/api/books', 'bob', (response) => equal(response.status, 200))
  })
})

suite('requireRoles', (test) => {
  test('without a role is a mistake that shows at once', () => {
    for (const { requireRoles } of [inExpress, inKoa]) {
      const error = throws(() => requireRoles({} as Api, { any_of: true }))
      ok(String(error).includes('at least one role'), String(error))
    }
  })
})
