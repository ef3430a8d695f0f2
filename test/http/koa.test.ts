/** The conformance list in Koa 3: mounted or not, with body parsers before and after, behind other middleware. */
import * as http from 'node:http'
import { createRequire } from 'node:module'
import { bodyParser } from '@koa/bodyparser'
import { apiErrors, modelApi } from '@model-api/adapter-koa'
import { type Api, apiError, defineModel, type Envelope } from '@model-api/core'
import { type Client, ClientError } from '@model-api/core/client'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { conforms, host, listening, outsidePrefix, type Server } from './conformance.ts'
import { survives } from './rough.ts'
import { openWorld } from './world.ts'

const olderParser = createRequire(import.meta.url)('koa-bodyparser') as (
  options?: object,
) => Middleware

const Named = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string' },
  },
  meta: {},
})

type Build = (app: Koa, api: Api) => void

const limits = { jsonLimit: '2mb', textLimit: '2mb', formLimit: '2mb' }
const newerParser = (): Middleware =>
  bodyParser({ ...limits, enableTypes: ['json', 'form', 'text'] }) as Middleware

function appOf(build: Build, api: Api, prefix = ''): Koa {
  const app = new Koa()
  app.silent = true
  build(app, api)
  app.use((ctx) => {
    const answers: Record<string, string> = {
      [`${prefix}${host.hello.path}`]: host.hello.text,
      [`${prefix}${host.shelves.path}`]: host.shelves.text,
    }
    const text = ctx.method === 'GET' ? answers[ctx.path] : undefined
    ctx.status = text === undefined ? 404 : 200
    ctx.body = text ?? host.nobody
  })
  return app
}

const serving = (build: Build, more: Partial<Server> = {}): Server => ({
  ...more,
  start: async (api) => listening(http.createServer(appOf(build, api, more.mount).callback())),
})

conforms(
  'Koa 3',
  serving((app, api) => void app.use(modelApi(api))),
)
conforms(
  'Koa 3, mounted',
  serving((app, api) => void app.use(mount('/v1', modelApi(api))), { mount: '/v1' }),
)
conforms(
  'Koa 3, mounted at API_PREFIX',
  serving((app, api) => void app.use(mount('/api', modelApi(api))), { except: outsidePrefix }),
)
conforms(
  'Koa 3, @koa/bodyparser before',
  serving((app, api) => void app.use(apiErrors(api)).use(newerParser()).use(modelApi(api)), {
    parsed: true,
  }),
)
conforms(
  'Koa 3, koa-bodyparser before',
  serving((app, api) => void app.use(apiErrors(api)).use(olderParser(limits)).use(modelApi(api)), {
    parsed: true,
  }),
)
conforms(
  'Koa 3, parser after',
  serving((app, api) => void app.use(modelApi(api)).use(newerParser())),
)
conforms(
  'Koa 3, mounted twice, parser within, behind other middleware',
  serving(
    (app, api) => {
      const inner = new Koa()
      inner.use(apiErrors(api)).use(newerParser()).use(modelApi(api))
      app.use(async (ctx, next) => {
        ctx.set('x-frame-options', 'DENY')
        await next()
      })
      app.use(mount('/deep', mount('/api', inner)))
    },
    { mount: '/deep', except: outsidePrefix, parsed: true, adds: ['x-frame-options'] },
  ),
)

survives(
  'Koa 3',
  serving((app, api) => void app.use(mount('/v1', modelApi(api))), { mount: '/v1' }),
)

async function running(build: Build, run: (url: string) => Promise<void>): Promise<void> {
  const { api, close } = await openWorld()
  const { port, stop } = await listening(http.createServer(appOf(build, api).callback()))
  try {
    await run(`http://127.0.0.1:${port}`)
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

suite('Koa', (test) => {
  test('errors of other middleware on paths of the API have the envelope of the API', () =>
    running(
      (app, api) => {
        app.use(apiErrors(api))
        app.use(async (ctx, next) => {
          if (ctx.query.as === 'stranger') ctx.throw(403, 'Not from here')
          if (ctx.query.as === 'bug') throw new Error('the password is 1234')
          if (ctx.query.as === 'nobody')
            ctx.throw(401, { headers: { 'WWW-Authenticate': 'Bearer' } })
          if (ctx.query.as === 'own') throw apiError(409, 'Conflict', 'Later.')
          await next()
        })
        app.use(modelApi(api))
      },
      async (url) => {
        const unknown = await fetch(`${url}/api/books?as=nobody`)
        const { errors } = (await unknown.json()) as Envelope
        equal([unknown.status, errors?.code], [401, 'unauthorized'])
        equal(unknown.headers.get('www-authenticate'), 'Bearer')
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
      },
    ))

  test('what refuses a call of api.as is the response of a route that throws its error', () =>
    running(
      (app, api) => {
        app.use(apiErrors(api))
        app.use(async (ctx) => {
          if (ctx.query.from === 'elsewhere') throw new ClientError('No.', { status: 404 })
          const { books } = api.as('system') as unknown as Client<Api<{ models: [typeof Named] }>>
          const result = await books.create({ title: 7 as never })
          if (ctx.query.from === 'refuse') {
            const { status, body } = await api.refuse(
              { method: 'GET', url: '/api/books', headers: {} },
              result.ok ? undefined : result.error,
            )
            Object.assign(ctx, { status, body })
          } else if (!result.ok) throw result.error
        })
      },
      async (url) => {
        const answerAt = async (path: string) => {
          const response = await fetch(`${url}${path}`)
          const { errors } = (await response.json()) as Envelope
          return [response.status, errors?.code, errors?.problems?.[0]?.path]
        }
        const answers = await Promise.all(
          ['a call', 'refuse', 'elsewhere'].map((from) => answerAt(`/api/own?from=${from}`)),
        )
        const refused = [400, 'validation_failed', 'title']
        equal(answers, [refused, refused, [500, 'internal_error', undefined]])
        equal(await answerAt('/routes/own?from=a%20call'), refused)
        // The error of a client of another service is left to the host, on the host's paths.
        const other = await fetch(`${url}/routes/own?from=elsewhere`)
        equal([other.status, await other.text()], [404, 'Not Found'])
      },
    ))

  test('errors on other paths are left to the host', () =>
    running(
      (app, api) => void app.use(apiErrors(api)).use(newerParser()).use(modelApi(api)),
      async (url) => {
        const response = await fetch(`${url}/other`, posting('{'))
        equal(response.status, 400)
        equal(response.headers.get('content-type')?.includes('json'), false)
      },
    ))

  test('a body over the limit of the host’s parser is 413 in the envelope of the API', () =>
    running(
      (app, api) => {
        app
          .use(apiErrors(api))
          .use(bodyParser({ jsonLimit: 10 }) as Middleware)
          .use(modelApi(api))
      },
      async (url) => {
        const response = await fetch(`${url}/api/books`, posting('{"title":"longer than ten"}'))
        const { errors } = (await response.json()) as Envelope
        equal(
          [response.status, errors?.code, errors?.reason],
          [413, 'body_too_large', 'The body is larger than 10 bytes.'],
        )
        equal(
          (await fetch(`${url}/api/nothing`, posting('{"title":"longer than ten"}'))).status,
          404,
        )
      },
    ))

  test('the Vary and cookies of other middleware are kept', () =>
    running(
      (app, api) => {
        app.use(async (ctx, next) => {
          ctx.vary('Origin')
          ctx.append('set-cookie', 'session=1')
          await next()
        })
        app.use(modelApi(api))
      },
      async (url) => {
        const response = await fetch(`${url}/api/books`)
        equal(response.headers.get('vary'), 'Origin, Accept')
        equal(response.headers.get('set-cookie'), 'session=1')
        equal(((await response.json()) as Envelope).total_count, 3)
      },
    ))
})
