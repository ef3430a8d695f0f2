/** HTTP/2, whose requests need no Content-Length for a body: the conformance list in node:http2, Koa and Fastify. */
import { once } from 'node:events'
import type * as http from 'node:http'
import * as http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { bodyParser } from '@koa/bodyparser'
import { apiErrors, modelApi } from '@model-api/adapter-koa'
import { type Http2Listener, listener } from '@model-api/http-node'
import Fastify from 'fastify'
import Koa from 'koa'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import type { Case } from './cases.ts'
import {
  type Ask,
  conforms,
  headersOf,
  host,
  inLines,
  type Server,
  type Wire,
} from './conformance.ts'

/** Headers of a connection, which HTTP/2 forbids. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host'])

/** Sends a case over a new connection, with its body in one frame or two and without Content-Length. */
function sendHttp2(port: number, one: Case): Promise<Wire> {
  const { method = 'GET', url, body } = one
  const { 'content-length': _, ...named } = headersOf(one)
  const headers = Object.fromEntries(
    Object.entries(named).filter(([name]) => !ofConnection.has(name.toLowerCase())),
  )
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://127.0.0.1:${port}`).on('error', reject)
    const stream = session.request(
      { ...headers, ':method': method, ':path': url },
      { endStream: body === undefined },
    )
    let received: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
    const chunks: Buffer[] = []
    stream.on('response', (response) => {
      received = response
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    stream.on('end', () => {
      session.destroy()
      const { ':status': status = 0, ...others } = received
      const text = Buffer.concat(chunks).toString('utf8')
      resolve({ status, headers: inLines(others), body: text })
    })
    if (body !== undefined) stream.end(body)
  })
}

async function listening(
  server: http2.Http2Server,
): Promise<{ readonly ask: Ask; stop(): Promise<void> }> {
  const sessions = new Set<http2.ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ask: (one) => sendHttp2(port, one),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
      }),
  }
}

/** Answers the paths of the host itself. */
const beside: http.RequestListener = (req, res) => {
  const text = [host.hello, host.shelves].find(({ path }) => path === req.url)?.text
  res.statusCode = text === undefined || req.method !== 'GET' ? 404 : 200
  res.end(res.statusCode === 200 ? text : host.nobody)
}

const plain: Server = {
  start: async (api) => listening(http2.createServer(listener(api, { fallback: beside }))),
}

const inKoa = (parsed: boolean): Server => ({
  parsed,
  // The body that the parser hands over has no length; the parser has a limit of its own.
  except: parsed ? ['a body over the limit', 'a body over the limit, as problem details'] : [],
  start: async (api) => {
    const app = new Koa()
    app.silent = true
    if (parsed) app.use(apiErrors(api)).use(bodyParser({ enableTypes: ['json', 'form', 'text'] }))
    app.use(modelApi(api))
    app.use((ctx) => {
      ctx.respond = false
      beside(ctx.req, ctx.res)
    })
    return listening(http2.createServer(app.callback() as unknown as Http2Listener))
  },
})

const inFastify: Server = {
  except: ['malformed encoding in the path', 'a malformed path below it'],
  start: async (api) => {
    const app = Fastify({ http2: true })
    app.addHook('onRequest', (request, reply, next) =>
      listener(api, { host: request })(request.raw, reply.raw, next),
    )
    app.get(host.hello.path, (_request, reply) => reply.send(host.hello.text))
    app.get(host.shelves.path, (_request, reply) => reply.send(host.shelves.text))
    app.setNotFoundHandler((_request, reply) => reply.code(404).send(host.nobody))
    await app.ready()
    return listening(app.server)
  },
}

conforms('node:http2', plain)
conforms('Koa 3 over HTTP/2', inKoa(false))
conforms('Koa 3 over HTTP/2, @koa/bodyparser before', inKoa(true))
conforms('Fastify over HTTP/2', inFastify)

type Answering = Parameters<typeof listener>[0]

const answering = (answer: Answering['answer']): Answering => ({
  answer,
  owns: () => true,
  bodyLimit: 1000,
})

async function serving(
  server: http2.Http2Server,
  run: (session: http2.ClientHttp2Session) => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const session = http2.connect(`http://127.0.0.1:${port}`)
  try {
    await run(session)
  } finally {
    session.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

suite('HTTP/2', (test) => {
  test('the authority of the URL is the header Host of the request', async () => {
    const hosts: unknown[] = []
    const api = answering(async ({ headers }) => {
      hosts.push(headers?.host)
      return { status: 200, headers: {}, text: 'read' }
    })
    await serving(http2.createServer(listener(api)), async (session) => {
      for (const more of [{ ':authority': 'api.example' }, { host: 'other.example' }]) {
        await once(session.request({ ':path': '/', ...more }).resume(), 'close')
      }
    })
    equal(hosts, ['api.example', 'other.example'])
  })

  const large = 'x'.repeat(4_000_000)
  const sendLarge = answering(async () => ({ status: 200, headers: {}, text: large }))
  test('a stream whose response the client does not read is closed, and others of its connection are not', () =>
    serving(http2.createServer(listener(sendLarge, { sendTimeout: 200 })), async (session) => {
      const unread = session.request({ ':path': '/' }).pause()
      await once(unread, 'close')
      equal(unread.rstCode, http2.constants.NGHTTP2_CANCEL)
      const read = session.request({ ':path': '/' })
      let size = 0
      read.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      await once(read, 'end')
      equal(size, large.length)
    }))
})
