/** The conformance list in Hono, with its own requests and on node:http, mounted or not. */
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Api } from '@model-api/core'
import { type Context, Hono } from 'hono'
import { conforms, host, listening, type Server, toRequest, toWire } from './conformance.ts'
import { hosts } from './hosting.ts'
import { survives } from './rough.ts'

interface Env {
  readonly Variables: { user: { readonly name: string } }
}

type Build = (app: Hono<Env>, api: Api) => void

function appOf(build: Build, api: Api, prefix = ''): Hono<Env> {
  const app = new Hono<Env>()
  build(app, api)
  app.get(`${prefix}${host.hello.path}`, (c) => c.text(host.hello.text))
  app.get(`${prefix}${host.shelves.path}`, (c) => c.text(host.shelves.text))
  app.notFound((c) => c.text(host.nobody, 404))
  return app
}

const listen = (app: Hono<Env>) =>
  listening(createAdaptorServer({ fetch: app.fetch }) as Parameters<typeof listening>[0])

const inProcess = (build: Build, more: Partial<Server> = {}): Server => ({
  ...more,
  web: true,
  start: async (api) => {
    const app = appOf(build, api, more.mount)
    return {
      ask: async (one) => toWire(await app.fetch(toRequest(one))),
      stop: async () => {},
    }
  },
})

const onNode = (build: Build, more: Partial<Server> = {}): Server => ({
  ...more,
  web: true,
  start: (api) => listen(appOf(build, api, more.mount)),
})

const plain: Build = (app, api) =>
  void app.use((c, next) => api.fetch(c.req.raw, { fallback: next }))
const mounted: Build = (app, api) =>
  void app.use('/v1/*', (c, next) => api.fetch(c.req.raw, { baseUrl: '/v1', fallback: next }))

conforms('Hono', inProcess(plain))
conforms('Hono, mounted', inProcess(mounted, { mount: '/v1' }))
conforms('Hono on node:http', onNode(plain))
conforms('Hono on node:http, mounted', onNode(mounted, { mount: '/v1' }))

survives('Hono', onNode(plain))

hosts('Hono', {
  mount: '/v1',
  start: (api) => {
    const app = new Hono<Env>()
    app.use(async (c, next) => {
      const name = c.req.header('x-user')
      if (name !== undefined) c.set('user', { name })
      await next()
    })
    app.use((c, next) =>
      api.fetch(c.req.raw, {
        host: c,
        ip: getConnInfo(c).remote.address,
        baseUrl: '/v1',
        fallback: next,
      }),
    )
    return listen(app)
  },
  userOf: (context) => (context as Context<Env>).get('user'),
})
