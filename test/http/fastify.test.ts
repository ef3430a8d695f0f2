/** The conformance list in Fastify: before its parsers, mounted or not, in a plugin, and in a route behind its parsers. */
import { createServer, type Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Api, Envelope } from '@model-api/core'
import { listener } from '@model-api/http-node'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { type Ask, conforms, host, type Server, send } from './conformance.ts'
import { hosts } from './hosting.ts'
import { survives } from './rough.ts'
import { openWorld } from './world.ts'

type Build = (app: FastifyInstance, api: Api) => void

async function listen(
  app: FastifyInstance,
): Promise<{ readonly ask: Ask; readonly port: number; stop(): Promise<void> }> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    port,
    ask: (one) => send(port, one),
    stop: async () => {
      const closed = app.close()
      ;(app.server as NodeServer).closeAllConnections()
      await closed
    },
  }
}

const serving = (
  build: Build,
  more: Partial<Server> = {},
  optionsFor: (api: Api) => FastifyServerOptions = () => ({}),
): Server => ({
  ...more,
  start: (api) => {
    const app = Fastify(optionsFor(api))
    const prefix = more.mount ?? ''
    build(app, api)
    app.get(`${prefix}${host.hello.path}`, (_request, reply) => reply.send(host.hello.text))
    app.get(`${prefix}${host.shelves.path}`, (_request, reply) => reply.send(host.shelves.text))
    app.setNotFoundHandler((_request, reply) => reply.code(404).send(host.nobody))
    return listen(app)
  },
})

/** Fastify's router refuses a path that cannot be decoded before any hook. */
const except = ['malformed encoding in the path', 'a malformed path below it']

const plain: Build = (app, api) =>
  void app.addHook('onRequest', (request, reply, next) =>
    listener(api, { host: request })(request.raw, reply.raw, next),
  )
const mounted: Build = (app, api) =>
  void app.addHook('onRequest', (request, reply, next) =>
    listener(api, { host: request, baseUrl: '/v1' })(request.raw, reply.raw, next),
  )

conforms('Fastify', serving(plain, { except }))
conforms('Fastify, mounted', serving(mounted, { except, mount: '/v1' }))
conforms(
  'Fastify, before its router',
  serving(
    () => {},
    { except: ['a malformed path below it'] },
    (api) => ({
      serverFactory: (handler) => createServer(listener(api, { fallback: handler })),
    }),
  ),
)
suite('Fastify', (test) => {
  test('a route of the host passes on the body that its parser has read', async () => {
    const { api, close } = await openWorld()
    const app = Fastify()
    app.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'application/merge-patch+json'],
      { parseAs: 'string' },
      (_request, body, done) => done(null, body),
    )
    app.all('/v1/api/*', (request, reply) => {
      reply.hijack()
      const { raw, body } = request
      listener(api, { host: request, baseUrl: '/v1', body })(raw, reply.raw)
    })
    const { port, stop } = await listen(app)
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/api/books`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"Nana","author_id":2}',
      })
      const { value } = (await response.json()) as Envelope<{ title: string }>
      equal([response.status, value?.title], [201, 'Nana'])
      equal(response.headers.get('location'), '/v1/api/books/4')
      const merged = await fetch(`http://127.0.0.1:${port}/v1/api/books/4`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"title":"Germinal"}',
      })
      equal(merged.status, 200)
    } finally {
      await stop()
      await close()
    }
  })
})

survives('Fastify', serving(plain))

hosts('Fastify', {
  mount: '/v1',
  start: (api) => {
    const app = Fastify()
    app.decorateRequest('user')
    app.addHook('onRequest', async (request) => {
      const name = request.headers['x-user']
      if (name !== undefined) Object.assign(request, { user: { name } })
    })
    mounted(app, api)
    return listen(app)
  },
  userOf: (request) => (request as { readonly user?: { readonly name: string } }).user,
})
