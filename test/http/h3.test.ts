/** The conformance list in h3 2 and h3 1, mounted or not. Nitro 2 and Nuxt use h3 1. */
import * as http from 'node:http'
import type { Api } from '@model-api/core'
import { listener } from '@model-api/http-node'
import * as h3One from 'h3-1'
import { conforms, host, listening, type Server, toRequest, toWire } from './conformance.ts'
import { hosts } from './hosting.ts'
import { survives } from './rough.ts'

/** The part of h3 2 that is used; its declarations do not compile without `skipLibCheck`. */
interface H3Event {
  readonly req: Request & { readonly ip?: string | undefined }
  readonly res: { status?: number }
  readonly context: { user?: { readonly name: string } }
}
type Handler = (event: H3Event, next: () => unknown) => unknown
interface H3 {
  use(handler: Handler): H3
  get(path: string, handler: Handler): H3
  all(path: string, handler: Handler): H3
  fetch(request: Request): Promise<Response>
}
const { H3, toNodeHandler } = (await import('h3' as string)) as {
  readonly H3: new () => H3
  readonly toNodeHandler: (app: H3) => http.RequestListener
}

type Build = (app: H3, api: Api) => void

function appOf(build: Build, api: Api, prefix = ''): H3 {
  const app = new H3()
  build(app, api)
  app.get(`${prefix}${host.hello.path}`, () => host.hello.text)
  app.get(`${prefix}${host.shelves.path}`, () => host.shelves.text)
  app.all('/**', (event) => {
    event.res.status = 404
    return host.nobody
  })
  return app
}

const listen = (app: H3) => listening(http.createServer(toNodeHandler(app)))

/** h3 2 refuses a path that cannot be decoded before any middleware. */
const except = ['malformed encoding in the path', 'a malformed path below it']

const inProcess = (build: Build, more: Partial<Server> = {}): Server => ({
  ...more,
  except,
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
  except,
  web: true,
  start: (api) => listen(appOf(build, api, more.mount)),
})

const plain: Build = (app, api) =>
  void app.use((event, next) => api.fetch(event.req, { fallback: next }))
const mounted: Build = (app, api) =>
  void app.use((event, next) => api.fetch(event.req, { baseUrl: '/v1', fallback: next }))

conforms('h3 2', inProcess(plain))
conforms('h3 2, mounted', inProcess(mounted, { mount: '/v1' }))
conforms('h3 2 on node:http', onNode(plain))
conforms('h3 2 on node:http, mounted', onNode(mounted, { mount: '/v1' }))

survives('h3 2', onNode(plain))

hosts('h3 2', {
  mount: '/v1',
  start: (api) => {
    const app = new H3()
    app.use((event) => {
      const name = event.req.headers.get('x-user')
      if (name !== null) event.context.user = { name }
    })
    app.use((event, next) =>
      api.fetch(event.req, {
        host: event,
        ip: event.req.ip,
        baseUrl: '/v1',
        fallback: next,
      }),
    )
    return listen(app)
  },
  userOf: (event) => (event as H3Event).context.user,
})

const { createApp, defineEventHandler, fromNodeMiddleware, setResponseStatus, toNodeListener } =
  h3One

type BuildOne = (app: h3One.App, api: Api) => void

const listenOne = (app: h3One.App) => listening(http.createServer(toNodeListener(app)))

const servingOne = (build: BuildOne, more: Partial<Server> = {}): Server => ({
  ...more,
  start: (api) => {
    const app = createApp()
    const prefix = more.mount ?? ''
    build(app, api)
    app.use(
      defineEventHandler((event) => {
        const answers: Record<string, string> = {
          [`${prefix}${host.hello.path}`]: host.hello.text,
          [`${prefix}${host.shelves.path}`]: host.shelves.text,
        }
        const text = event.method === 'GET' ? answers[event.path] : undefined
        if (text === undefined) setResponseStatus(event, 404)
        return text ?? host.nobody
      }),
    )
    return listenOne(app)
  },
})

const byListener: BuildOne = (app, api) => void app.use(fromNodeMiddleware(listener(api)))
const mountedOne: BuildOne = (app, api) => void app.use('/v1', fromNodeMiddleware(listener(api)))

conforms('h3 1, as middleware of Node', servingOne(byListener))
conforms('h3 1, as middleware of Node, mounted', servingOne(mountedOne, { mount: '/v1' }))

survives('h3 1', servingOne(byListener))

hosts('h3 1', {
  start: (api) => {
    const app = createApp()
    app.use(
      defineEventHandler((event) => {
        const name = h3One.getRequestHeader(event, 'x-user')
        if (name !== undefined) event.context.user = { name }
      }),
    )
    app.use(
      defineEventHandler((event) => fromNodeMiddleware(listener(api, { host: event }))(event)),
    )
    return listenOne(app)
  },
  userOf: (event) => (event as h3One.H3Event).context.user as { name: string } | undefined,
})
