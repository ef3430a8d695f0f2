/** api.fetch: the conformance list with web Requests, and what only a web runtime can ask. */
import type { Api, Envelope } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import type { Case } from './cases.ts'
import { conforms, headersOf, host, type Server, type Wire } from './conformance.ts'
import { bodyLimit, openWorld } from './world.ts'

/** What a worker or a Deno script around the API looks like. */
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

function toRequest(one: Case): Request {
  const { method = 'GET', url, body, chunked } = one
  const sent = chunked ? new Blob([body as string]).stream() : body
  return new Request(`http://localhost${url}`, {
    method,
    headers: headersOf(one),
    ...(sent === undefined ? {} : { body: sent as BodyInit, duplex: 'half' }),
  } as RequestInit)
}

async function toWire(response: Response): Promise<Wire> {
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
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
  test('takes whatever second argument a runtime passes', async () => {
    const { api, close } = await openWorld()
    const request = () => new Request('http://localhost/api/books/1')
    const others = [undefined, { remoteAddr: { hostname: '::1' } }, { ip: 5, baseUrl: {} }]
    for (const other of others) equal((await api.fetch(request(), other as object)).status, 200)
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
