/** api.fetch: the conformance list with web Requests, and requests that only a web runtime can send. */
import type { Api, Envelope } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { conforms, host, type Server, toRequest, toWire } from './conformance.ts'
import { bodyLimit, openWorld } from './world.ts'

/** A worker or Deno script that serves the API. */
function worker(api: Api, baseUrl: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = new URL(request.url).pathname
    const below = path.startsWith(baseUrl) ? path.slice(baseUrl.length) : path
    if (api.owns(below)) return api.fetch(request, { baseUrl })
    if (request.method !== 'GET') return new Response(host.nobody, { status: 404 })
    if (below === host.hello.path) return new Response(host.hello.text)
    if (below === host.shelves.path) return new Response(host.shelves.text)
    return new Response(host.nobody, { status: 404 })
  }
}

const serving = (mount = ''): Server => ({
  mount,
  web: true,
  start: async (api) => {
    const answer = worker(api, mount)
    return { ask: async (one) => toWire(await answer(toRequest(one))), stop: async () => {} }
  },
})

conforms('api.fetch', serving())
conforms('api.fetch, mounted', serving('/v1'))

suite('api.fetch', (test) => {
  test('accepts any second argument that a runtime passes', async () => {
    const { api, close } = await openWorld()
    const request = () => new Request('http://localhost/api/books/1')
    const others = [
      undefined,
      { remoteAddr: { hostname: '::1' } },
      { ip: 5, baseUrl: {}, host: 'x', fallback: 'x' },
    ]
    for (const other of others) equal((await api.fetch(request(), other as object)).status, 200)
    await close()
  })

  test('passes requests for other paths to the fallback, and returns its result', async () => {
    const { api, close } = await openWorld()
    const ask = (path: string) =>
      api.fetch(new Request(`http://localhost${path}`), {
        baseUrl: '/v1',
        fallback: ({ url }) => `left: ${url}`,
      })
    equal((await ask('/v1/api/books')).valueOf() instanceof Response, true)
    equal(await ask('/v1/hello'), 'left: http://localhost/v1/hello')
    // A path of the API, but not below the mount.
    equal(await ask('/api/books'), 'left: http://localhost/api/books')
    equal(await ask('/v10/api/books'), 'left: http://localhost/v10/api/books')
    await close()
  })

  test('serves a path from which the host has removed the mount', async () => {
    const { api, close } = await openWorld()
    const request = new Request('http://localhost/api/books?limit=1')
    const { next_url } = (await (await api.fetch(request, { baseUrl: '/v1' })).json()) as Envelope
    equal(next_url, '/v1/api/books?limit=1&page=2')
    await close()
  })

  test('a body that the host has already read is 500, and the reported error says why', async () => {
    const problems: unknown[] = []
    const { api, close } = await openWorld((error) => problems.push(error))
    const request = () =>
      new Request('http://localhost/api/books', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"Nana","author_id":2}',
      })
    const [read, locked, copied] = [request(), request(), request()]
    await read.text()
    locked.body?.getReader()
    await copied.clone().json()
    const statuses: number[] = []
    for (const one of [read, locked, copied]) statuses.push((await api.fetch(one)).status)
    equal(statuses, [500, 500, 201])
    equal(
      problems.map((error) => /was read before api\.fetch/.test(String(error))),
      [true, true],
    )
    await close()
  })

  test('stops reading at the limit', async () => {
    const { api, close } = await openWorld()
    let pulled = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1000).fill(32))
      },
      cancel() {
        cancelled = true
      },
    })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/api/books', {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
    const response = await api.fetch(request)
    equal([response.status, cancelled], [413, true])
    equal(pulled <= bodyLimit / 1000 + 3, true)
    await close()
  })

  test('a body that breaks off is a 400', async () => {
    const { api, close } = await openWorld()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array([123]))
        controller.error(new Error('gone'))
      },
    })
    const request = new Request('http://localhost/api/books', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    const response = await api.fetch(request)
    const { errors } = (await response.json()) as Envelope
    equal([response.status, errors?.code], [400, 'incomplete_body'])
    await close()
  })
})
