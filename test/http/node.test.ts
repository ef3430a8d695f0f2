/** node:http: the conformance list, and what only a server itself decides: malformed requests, limits, a graceful shutdown. */
import { once } from 'node:events'
import * as http from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  type Envelope,
  responseText,
} from '@model-api/core'
import { createServer, listener, type ServerOptions } from '@model-api/http-node'
import { equal, match, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { conforms, host, listening, outsidePrefix, type Server } from './conformance.ts'
import { survives } from './rough.ts'

/** A host without a framework, with the API beside its own routes. */
const beside: http.RequestListener = (req, res) => {
  const text = [host.hello, host.shelves].find(({ path }) => path === req.url)?.text
  res.statusCode = text === undefined || req.method !== 'GET' ? 404 : 200
  res.end(res.statusCode === 200 ? text : host.nobody)
}

const serve: Server = {
  start: async (api) => listening(http.createServer(listener(api, { fallback: beside }))),
}
const serveOwn: Server = {
  start: async (api) => listening(createServer(api, { fallback: beside }).server),
}

/** Passes requests on as Connect, Polka and others do for middleware under a prefix; optionally reads the body first. */
const asMiddleware = (prefix: string, reads: boolean, more: Partial<Server> = {}): Server => ({
  mount: prefix,
  parsed: reads,
  ...more,
  start: async (api) => {
    const mounted = listener(api)
    return listening(
      http.createServer(async (req, res) => {
        const originalUrl = req.url ?? '/'
        const isBelow = originalUrl.startsWith(prefix)
        const rest = originalUrl.slice(prefix.length)
        const url = rest.startsWith('/') ? rest : `/${rest}`
        if (isBelow) Object.assign(req, { originalUrl, url })
        if (reads) await parse(req)
        const leave = () => {
          req.url = originalUrl.slice((more.mount ?? prefix).length)
          beside(req, res)
        }
        if (isBelow) mounted(req, res, leave)
        else leave()
      }),
    )
  },
})

/** Parses any body. */
async function parse(req: http.IncomingMessage): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  Object.assign(req, { body: Buffer.concat(chunks) })
}

const below: Server = {
  mount: '/v1',
  start: async (api) =>
    listening(
      http.createServer(
        listener(api, {
          baseUrl: '/v1',
          fallback: (req, res) => {
            req.url = (req.url ?? '/').replace(/^\/v1/, '')
            beside(req, res)
          },
        }),
      ),
    ),
}

conforms('node:http', serve)
conforms('node:http, below a prefix', below)
conforms('node:http, as middleware', asMiddleware('', false))
conforms('node:http, as middleware, mounted', asMiddleware('/v1', false))
conforms(
  'node:http, as middleware, mounted at API_PREFIX',
  asMiddleware('/api', false, { mount: '', except: outsidePrefix }),
)
conforms(
  'node:http, as middleware, mounted at API_PREFIX below a prefix',
  asMiddleware('/v1/api', false, { mount: '/v1', except: outsidePrefix }),
)
conforms('node:http, as middleware, parser before', asMiddleware('/v1', true))
conforms('node:http, createServer', serveOwn)
survives('node:http', serveOwn)

type Handle = (request: ApiRequest) => Promise<ApiResponse>

const failure = (error: unknown): ApiResponse => {
  const { status, body } = error as ApiError
  const value = { status_code: status, errors: body, value: null }
  return { status, headers: {}, body: value as unknown as Envelope }
}

/** An API whose response contains the request. */
const echo: Handle = async ({ method, url, body, headers, ip }) => {
  if (body instanceof ApiError) return failure(body)
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', etag: '"1"' },
    body: { value: { method, url, body, ip, agent: headers?.['x-agent'] } } as unknown as Envelope,
  }
}

const apiOf = (handle: Handle, bodyLimit = 1_000_000) => ({
  answer: async (request: ApiRequest) => {
    const response = await handle(request)
    return { ...response, text: responseText(response) }
  },
  refuse: async (_request: ApiRequest, error: unknown) => failure(error),
  owns: (url: string) => url.startsWith('/api'),
  bodyLimit,
  close: async () => {},
})

/** More than the buffers of two sockets hold. */
const large = 'x'.repeat(32 * 1024 * 1024)
const largeBody = { value: large } as unknown as Envelope

interface Running {
  readonly url: string
  readonly port: number
  readonly closed: () => number
  close(): Promise<void>
}

async function running(
  handle: Handle = echo,
  options: ServerOptions = {},
  bodyLimit?: number,
): Promise<Running> {
  let closings = 0
  const api = { ...apiOf(handle, bodyLimit), close: async () => void closings++ }
  const server = createServer(api, options)
  const url = await server.listen(0)
  return { url, port: Number(new URL(url).port), closed: () => closings, close: server.close }
}

async function serving(
  run: (server: Running) => Promise<void>,
  handle?: Handle,
  options?: ServerOptions,
  bodyLimit?: number,
): Promise<void> {
  const server = await running(handle, options, bodyLimit)
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

/** Sends raw bytes and returns the raw response. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return answer
}

suite('http-node', (test) => {
  test('passes on method, raw URL, headers, address and body', () =>
    serving(async ({ url }) => {
      const path = '/api/books?or[id__in=(1,2),title__eq=a%2Cb]'
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'X-Agent': 'test' },
        body: '{"title":"Ärger"}',
      })
      equal(((await response.json()) as Envelope).value, {
        method: 'POST',
        url: path,
        body: '{"title":"Ärger"}',
        ip: '127.0.0.1',
        agent: 'test',
      })
    }))

  test('closes the connection of a client that does not read its response', async () => {
    let closed: Promise<unknown> | undefined
    const api = apiOf(async () => ({ status: 200, headers: {}, body: largeBody }))
    const server = createServer(api, { sendTimeout: 200 })
    server.server.on('connection', (socket) => {
      closed = once(socket, 'close')
    })
    const { port } = new URL(await server.listen(0))
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET /api/large HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'connect')
    await sleep(20)
    await closed
    socket.destroy()
    await server.close()
  })

  test('waits for a slow client as long as it keeps reading', () =>
    serving(
      async ({ port }) => {
        const socket = connect(port, '127.0.0.1')
        socket.write('GET /api/large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
        let received = 0
        const slowUntil = performance.now() + 3500
        for await (const data of socket) {
          received += (data as Buffer).length
          if (performance.now() < slowUntil) await sleep(100)
        }
        ok(received > large.length, `${received} bytes`)
      },
      async () => ({ status: 200, headers: {}, body: largeBody }),
      { sendTimeout: 3000 },
    ))

  test('sends JSON with Content-Length, and HEAD without the body', () =>
    serving(async ({ url }) => {
      const get = await fetch(`${url}/api`)
      const text = await get.text()
      equal(get.headers.get('content-type'), 'application/json; charset=utf-8')
      equal(get.headers.get('content-length'), String(Buffer.byteLength(text)))
      equal(get.headers.get('etag'), '"1"')
      const head = await fetch(`${url}/api`, { method: 'HEAD' })
      equal(await head.text(), '')
      // The response contains the method, which is one letter longer than GET.
      equal(head.headers.get('content-length'), String(Buffer.byteLength(text) + 1))
    }))

  test('204 and 304 have neither a body nor a Content-Type', () =>
    serving(
      async ({ url }) => {
        for (const status of [204, 304]) {
          const response = await fetch(`${url}/api?${status}`)
          equal([response.status, await response.text()], [status, ''])
          equal(response.headers.get('content-type'), null)
        }
      },
      async ({ url }) => ({
        status: Number(url.split('?')[1]),
        headers: { 'content-type': 'application/json' },
        body: undefined,
      }),
    ))

  test('a body over the limit is refused, with or without Content-Length', () =>
    serving(
      async ({ url }) => {
        const body = 'x'.repeat(200_000)
        const announced = await fetch(`${url}/api`, { method: 'POST', body })
        equal(announced.status, 413)
        match(JSON.stringify(await announced.json()), 'larger than 1000 bytes')
        const chunks = new ReadableStream({
          start(controller) {
            for (let i = 0; i < 20; i++)
              controller.enqueue(new TextEncoder().encode('y'.repeat(10_000)))
            controller.close()
          },
        })
        const sent = { method: 'POST', body: chunks, duplex: 'half' } as RequestInit
        const streamed = await fetch(`${url}/api`, sent)
        equal(streamed.status, 413)
        const fits = await fetch(`${url}/api`, { method: 'POST', body: 'z'.repeat(1000) })
        equal(fits.status, 200)
      },
      echo,
      {},
      1000,
    ))

  test('a body with a Content-Length over the limit is refused before it is sent', () =>
    serving(
      async ({ port }) => {
        const answer = await raw(
          port,
          'POST /api HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 99999\r\n\r\n',
        )
        ok(answer.startsWith('HTTP/1.1 413 '), answer)
      },
      echo,
      {},
      1000,
    ))

  test('a body of a GET is not read', () =>
    serving(async ({ port }) => {
      const answer = await raw(
        port,
        'GET /api HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc',
      )
      ok(answer.startsWith('HTTP/1.1 200 '))
      equal(answer.includes('abc'), false)
    }))

  test('malformed HTTP is answered with 400 in JSON', () =>
    serving(async ({ port }) => {
      for (const text of [
        'nonsense\r\n\r\n',
        'GET /api HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n',
        'POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ]) {
        const answer = await raw(port, text)
        ok(answer.startsWith('HTTP/1.1 400 Bad Request\r\n'), answer)
        match(answer, 'connection: close')
        const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Envelope
        equal([body.status_code, body.errors?.error, body.value], [400, 'Bad Request', null])
      }
      const long = await raw(
        port,
        `GET /api HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(20_000)}\r\n\r\n`,
      )
      ok(long.startsWith('HTTP/1.1 431 '), long.slice(0, 40))
    }))

  test('a request that never ends times out', () =>
    serving(
      async ({ port }) => {
        const answer = await raw(
          port,
          'POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab',
        )
        ok(answer === '' || answer.startsWith('HTTP/1.1 408 '), answer)
      },
      echo,
      { headersTimeout: 100, requestTimeout: 200 },
    ))

  test('a client that disconnects while sending leaves nothing behind', () =>
    serving(async ({ port, url }) => {
      const socket = connect(port, '127.0.0.1')
      socket.write('POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab')
      await sleep(50)
      socket.destroy()
      await sleep(50)
      equal((await fetch(`${url}/api`)).status, 200)
    }))

  test('a path from which the host has removed the mount is served, one outside of the mount is not', async () => {
    const asked: unknown[] = []
    const api = {
      ...apiOf(echo),
      answer: (request: ApiRequest) => {
        asked.push([request.url, request.baseUrl, request.host])
        return apiOf(echo).answer(request)
      },
    }
    const host = { of: 'the framework' }
    const respond = listener(api, { baseUrl: '/v1', host })
    const leave = (_req: http.IncomingMessage, res: http.ServerResponse) => res.end('left')
    const { port, stop } = await listening(
      http.createServer((req, res) => {
        if (req.headers['x-middleware']) respond(req, res, () => leave(req, res))
        else respond(req, res)
      }),
    )
    try {
      const text = async (path: string, headers = {}) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
      await text('/api/books')
      await text('/v1/api/books', { 'x-middleware': '1' })
      equal(asked, [
        ['/api/books', '/v1', host],
        ['/api/books', '/v1', host],
      ])
      equal(await text('/api/books', { 'x-middleware': '1' }), 'left')
      equal(await text('/v10/api/books', { 'x-middleware': '1' }), 'left')
    } finally {
      await stop()
    }
  })

  test('paths outside of the API are passed to the fallback', () =>
    serving(
      async ({ url }) => {
        equal(await (await fetch(`${url}/home`)).text(), 'hello')
        equal((await fetch(`${url}/api/x`)).status, 200)
      },
      echo,
      { fallback: (_req, res) => void res.end('hello') },
    ))

  test('a response header that Node refuses ends the connection, not the process', () =>
    serving(
      async ({ url }) => {
        await fetch(`${url}/api`).then(
          () => ok(false, 'an answer'),
          () => {},
        )
      },
      async () => ({ status: 200, headers: { 'x-a': 'b\nc' }, body: undefined }),
    ))

  test('close lets running requests finish, refuses new ones, and may be called twice', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = await running(async (request) => {
      await held
      return echo(request)
    })
    const slow = fetch(`${server.url}/api/slow`)
    // The result is checked at the end of the test; until then, a rejection must not end the process.
    slow.catch(() => {})
    await sleep(50)
    const closing = server.close()
    await sleep(20)
    equal(
      await fetch(`${server.url}/api/new`).then(
        () => 'accepted',
        () => 'refused',
      ),
      'refused',
    )
    release()
    const response = await slow
    equal([response.status, response.headers.get('connection')], [200, 'close'])
    await Promise.all([closing, server.close()])
    equal(server.closed(), 1)
  })

  test('close answers a request on a connection that has just sent a response, and then closes the connection', async () => {
    const server = await running()
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    const request = 'GET /api/a HTTP/1.1\r\nhost: x\r\n\r\n'
    socket.write(request)
    await once(socket, 'data')
    const closing = server.close()
    socket.write(request)
    await new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
    equal(
      [...text.matchAll(/HTTP\/1.1 \d+|connection: \S+/gi)].map(([line]) => line.toLowerCase()),
      ['http/1.1 200', 'connection: keep-alive', 'http/1.1 200', 'connection: close'],
    )
    await closing
  })

  test('close ends idle connections', async () => {
    const forever = 600_000
    const server = await running(echo, { drainTimeout: forever, keepAliveTimeout: forever })
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET /api/a HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'data')
    const ended = once(socket, 'close')
    await server.close()
    await ended
  })

  test('close does not wait forever', async () => {
    const server = await running(() => new Promise(() => {}), { drainTimeout: 100 })
    const slow = fetch(`${server.url}/api/slow`).catch(() => 'cut')
    await sleep(50)
    await server.close()
    equal(await slow, 'cut')
  })

  test('a port that is taken is an error, not a crash', async () => {
    await serving(async ({ port }) => {
      const other = createServer(apiOf(echo))
      const error = await other.listen(port).catch((thrown: NodeJS.ErrnoException) => thrown)
      equal((error as NodeJS.ErrnoException).code, 'EADDRINUSE')
      await other.close()
    })
  })

  test('the listener works with any Node server', async () => {
    const server = http.createServer(listener(apiOf(echo)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    equal((await fetch(`http://127.0.0.1:${port}/anything`)).status, 200)
    await new Promise((resolve) => server.close(resolve))
  })

  test('a header of the host does not change the rest of the response', async () => {
    const answers: Record<string, Handle> = {
      text: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain', vary: 'accept', etag: '"1"' },
        cookies: ['b=2', 'c=3'],
        body: 'Ärger' as unknown as Envelope,
      }),
      nothing: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: undefined,
      }),
      unchanged: async () => ({
        status: 304,
        headers: { 'content-type': 'application/json', etag: '"1"' },
        body: undefined,
      }),
    }
    const api = apiOf((request) => (answers[request.url.slice(1)] as Handle)(request))
    const answer = listener(api)
    const server = http.createServer((req, res) => {
      if (req.headers['x-touch'] !== undefined) res.setHeader('x-host', '1')
      if (req.headers['x-vary'] !== undefined) {
        res.setHeader('vary', 'origin')
        res.setHeader('set-cookie', 'a=1')
      }
      answer(req, res)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const ask = async (method: string, path: string, more = ''): Promise<string> => {
      const text = `${method} /${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`
      return (await raw(port, text)).replace(/\r\nDate: [^\r]*/, '')
    }
    try {
      for (const method of ['GET', 'HEAD', 'POST']) {
        for (const path of Object.keys(answers)) {
          const touched = await ask(method, path, 'x-touch: 1\r\n')
          equal(await ask(method, path), touched.replace('x-host: 1\r\n', ''), `${method} ${path}`)
        }
      }
      const both = await ask('GET', 'text', 'x-vary: 1\r\n')
      match(both, 'vary: origin, accept\r\n')
      match(both, 'set-cookie: a=1\r\nset-cookie: b=2\r\nset-cookie: c=3\r\n')
      match(both, 'content-length: 6\r\n')
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
