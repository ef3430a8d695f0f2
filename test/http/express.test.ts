/** The conformance list in Express 5 and 4: mounted or not, with body parsers before and after, behind other middleware. */
import * as http from 'node:http'
import { createRequire } from 'node:module'
import { modelApi } from '@model-api/adapter-express'
import { type Api, apiError, type Envelope } from '@model-api/core'
import compression from 'compression'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { equal, ok, rejects } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { conforms, host, listening, outsidePrefix, type Server, send } from './conformance.ts'
import { survives } from './rough.ts'
import { bodyLimit, openWorld } from './world.ts'

const express4 = createRequire(import.meta.url)('express4') as typeof express

type Framework = typeof express

/** Builds the app around the API; `framework` is Express 5 or 4. */
type Build = (app: Express, api: Api, framework: Framework) => void

const large = '2mb'

const parsers = (framework: Framework): RequestHandler[] => [
  framework.json({ limit: large }),
  framework.text({ limit: large }),
  framework.urlencoded({ extended: false }),
]

const serving = (
  build: Build,
  more: Partial<Server> = {},
  framework: Framework = express,
): Server => ({
  ...more,
  start: async (api) => {
    const app = framework()
    build(app, api, framework)
    // The host's own routes, after the API: requests that the API passes on must reach them.
    const mount = more.mount ?? ''
    app.get(`${mount}${host.hello.path}`, (_req, res) => void res.send(host.hello.text))
    app.get(`${mount}${host.shelves.path}`, (_req, res) => void res.send(host.shelves.text))
    app.use((_req, res) => void res.status(404).send(host.nobody))
    return listening(http.createServer(app))
  },
})

const plain: Build = (app, api) => void app.use(modelApi(api))
const mounted: Build = (app, api) => void app.use('/v1', modelApi(api))
const atPrefix: Build = (app, api) => void app.use('/api', modelApi(api))
const behindParsers: Build = (app, api, framework) => {
  app.use(parsers(framework))
  app.use(modelApi(api))
}
const mountedBehindParsers: Build = (app, api, framework) => {
  app.use(parsers(framework))
  app.use('/v1', modelApi(api))
}

conforms('Express 5', serving(plain))
conforms('Express 5, mounted', serving(mounted, { mount: '/v1' }))
conforms('Express 5, mounted at API_PREFIX', serving(atPrefix, { except: outsidePrefix }))
conforms(
  'Express 5, mounted at API_PREFIX, parsers before',
  serving(
    (app, api, framework) => {
      app.use(parsers(framework))
      atPrefix(app, api, framework)
    },
    { except: outsidePrefix, parsed: true },
  ),
)
conforms('Express 5, parsers before', serving(behindParsers, { parsed: true }))
conforms(
  'Express 5, mounted, parsers before',
  serving(mountedBehindParsers, { mount: '/v1', parsed: true }),
)
conforms(
  'Express 5, parsers after',
  serving((app, api, framework) => {
    app.use(modelApi(api))
    app.use(parsers(framework))
  }),
)
conforms(
  'Express 5, in a router of a router, behind other middleware',
  serving(
    (app, api, framework) => {
      const [outer, inner] = [framework.Router(), framework.Router()]
      // Like helmet: responses of the API must keep these headers.
      const headers: RequestHandler = (_req, res, next) => {
        res.set({ 'content-security-policy': "default-src 'self'", 'x-frame-options': 'DENY' })
        next()
      }
      app.disable('x-powered-by').use(headers)
      inner.use(modelApi(api))
      outer.use('/api', inner)
      app.use('/deep', outer)
    },
    { mount: '/deep', except: outsidePrefix, adds: ['content-security-policy', 'x-frame-options'] },
  ),
)
conforms('Express 4', serving(plain, {}, express4))
conforms('Express 4, mounted at API_PREFIX', serving(atPrefix, { except: outsidePrefix }, express4))
conforms(
  'Express 4, mounted, parsers before',
  serving(
    mountedBehindParsers,
    // Express 4 counts the second slash as part of the mount.
    { mount: '/v1', parsed: true, except: ['two slashes'] },
    express4,
  ),
)

survives('Express 5', serving(mounted, { mount: '/v1' }))
survives('Express 4', serving(plain, {}, express4))

/** An app on a free port, for one test. */
async function running(
  build: Build,
  run: (port: number, url: string) => Promise<void>,
): Promise<void> {
  const { api, close } = await openWorld()
  const app = express()
  build(app, api, express)
  const { port, stop } = await listening(http.createServer(app))
  try {
    await run(port, `http://127.0.0.1:${port}`)
  } finally {
    await stop()
    await close()
  }
}

const posting = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})

suite('Express', (test) => {
  test('errors of other middleware on paths of the API have the envelope of the API', () =>
    running(
      (app, api) => {
        app.use((req, _res, next) => {
          if (req.query.as === 'stranger') {
            next(Object.assign(new Error('Not from here'), { status: 403, expose: true }))
          } else if (req.query.as === 'bug') next(new Error('the password is 1234'))
          else if (req.query.as === 'own') next(apiError(409, 'Conflict', 'Later.'))
          else next()
        })
        app.use(modelApi(api))
      },
      async (_port, url) => {
        const answers = await Promise.all(
          ['stranger', 'bug', 'own'].map(async (as) => {
            const response = await fetch(`${url}/api/books?as=${as}`)
            const { errors, api_version } = (await response.json()) as Envelope
            return [response.status, errors?.error, errors?.reason, api_version]
          }),
        )
        equal(answers[0], [403, 'Forbidden', 'Not from here', '1.0.0'])
        equal(answers[1]?.slice(0, 2), [500, 'Internal Server Error'])
        ok(!JSON.stringify(answers[1]).includes('1234'))
        equal(answers[2], [409, 'Conflict', 'Later.', '1.0.0'])
        const elsewhere = await fetch(`${url}/routes/own?as=own`)
        const { errors } = (await elsewhere.json()) as Envelope
        equal([elsewhere.status, errors?.reason], [409, 'Later.'])
      },
    ))

  test('an error after the host has begun the response ends it', () =>
    running(
      (app, api) => {
        // Express writes errors to stderr otherwise.
        app.set('env', 'test')
        app.use((_req, res, next) => {
          res.write('begun')
          next(new Error('too late'))
        })
        app.use(modelApi(api))
      },
      async (_port, url) => {
        const response = await fetch(`${url}/api/books`)
        await rejects(response.text())
      },
    ))

  test('errors on other paths are left to the host', () =>
    running(
      (app, api) => {
        app.use(express.json())
        app.use(modelApi(api))
        const own: ErrorRequestHandler = (_error, _req, res, _next) =>
          void res.status(418).send('host')
        app.use(own)
      },
      async (_port, url) => {
        const response = await fetch(`${url}/other`, posting('{'))
        equal([response.status, await response.text()], [418, 'host'])
      },
    ))

  test('a 401 of earlier middleware, such as express-jwt, is a 401 with its code and a challenge', () =>
    running(
      (app, api) => {
        app.use((_req, _res, next) => {
          const error = new Error('No authorization token was found')
          next(Object.assign(error, { status: 401, code: 'credentials_required' }))
        })
        app.use(modelApi(api))
      },
      async (_port, url) => {
        const response = await fetch(`${url}/api/books`)
        const { errors } = (await response.json()) as Envelope
        equal(response.status, 401)
        equal(errors, {
          error: 'Unauthorized',
          reason: 'The request was refused before it reached the API.',
          code: 'credentials_required',
        })
        equal(response.headers.get('www-authenticate'), 'Custom realm="api"')
      },
    ))

  test('a body over the limit of the host’s parser is 413 in the envelope of the API', () =>
    running(
      (app, api) => {
        app.use(express.json({ limit: 10 }))
        app.use(modelApi(api))
      },
      async (_port, url) => {
        const response = await fetch(`${url}/api/books`, posting('{"title":"longer than ten"}'))
        const { errors } = (await response.json()) as Envelope
        equal(
          [response.status, errors?.code, errors?.reason],
          [413, 'body_too_large', 'The body is larger than 10 bytes.'],
        )
        // An unknown path is refused as such.
        equal(
          (await fetch(`${url}/api/nothing`, posting('{"title":"longer than ten"}'))).status,
          404,
        )
      },
    ))

  test('with api.bodyLimit the parser of the host has the limit of the API', () =>
    running(
      (app, api) => {
        app.use(express.json({ limit: api.bodyLimit }))
        app.use('/api', modelApi(api))
      },
      async (_port, url) => {
        const bodyOf = (length: number) => posting(JSON.stringify({ title: 'x'.repeat(length) }))
        const frame = JSON.stringify({ title: '' }).length
        const fits = await fetch(`${url}/api/books`, bodyOf(bodyLimit - frame))
        equal(fits.status, 400)
        const longer = await fetch(`${url}/api/books`, bodyOf(bodyLimit - frame + 1))
        const { errors } = (await longer.json()) as Envelope
        equal([longer.status, errors?.code], [413, 'body_too_large'])
      },
    ))

  test('accepts a body that the host has parsed as bytes, or as text of any media type', () =>
    running(
      (app, api) => {
        app.use('/raw', express.raw({ type: '*/*' }), modelApi(api))
        app.use('/text', express.text({ type: '*/*' }), modelApi(api))
      },
      async (_port, url) => {
        for (const kind of ['raw', 'text']) {
          const body = '{"title":"Nana — 書","author_id":2}'
          const response = await fetch(`${url}/${kind}/api/books`, posting(body))
          const { value } = (await response.json()) as Envelope<{ title: string }>
          equal([response.status, value?.title], [201, 'Nana — 書'])
        }
      },
    ))

  test('works with compression, and keeps the Vary and cookies of other middleware', () =>
    running(
      (app, api) => {
        app.use(compression({ threshold: 0 }))
        app.use((_req, res, next) => {
          res.append('vary', 'Origin').append('set-cookie', 'session=1')
          next()
        })
        app.use(modelApi(api))
      },
      async (_port, url) => {
        const response = await fetch(`${url}/api/books`, { headers: { 'accept-encoding': 'gzip' } })
        equal(response.headers.get('content-encoding'), 'gzip')
        equal(((await response.json()) as Envelope).total_count, 3)
        equal(response.headers.get('vary'), 'Origin, Accept, Accept-Encoding')
        equal(response.headers.get('set-cookie'), 'session=1')
      },
    ))

  test('a handler of the host before the API takes precedence', () =>
    running(
      (app, api) => {
        app.get('/api/books/1', (_req, res) => void res.send('mine'))
        app.use(modelApi(api))
      },
      async (port) => {
        const ask = (url: string) => send(port, { title: '', url, status: 200 })
        equal((await ask('/api/books/1')).body, 'mine')
        equal((await ask('/api/books/2')).status, 200)
      },
    ))
})
