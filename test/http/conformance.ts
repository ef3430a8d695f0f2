/** Runs the conformance list against one server and compares every response, byte by byte, with that of `api.handle`. */
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Api, type ApiRequest, responseText } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { type Case, cases } from './cases.ts'
import { openSignIn, openWorld } from './world.ts'

/** A response as received. */
export interface Wire {
  readonly status: number
  /** Headers that were sent several times have their values on separate lines. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Ask = (request: Case) => Promise<Wire>

/** A way to serve the API. */
export interface Server {
  /** Serves an API; returns a function that sends requests to it. */
  readonly start: (api: Api) => Promise<{ readonly ask: Ask; stop(): Promise<void> }>
  /** The prefix it is mounted under. Default: none. */
  readonly mount?: string
  /** Whether a body parser of the host runs before the API. */
  readonly parsed?: boolean
  /** Whether requests come as web Requests, which cannot express every path. */
  readonly web?: boolean
  /** Cases where the framework itself sees another path. */
  readonly except?: readonly string[]
  /** Headers that the host's middleware adds. */
  readonly adds?: readonly string[]
}

/** The responses of the hosts themselves. */
export const host = {
  hello: { path: '/hello', text: 'hello from the host' },
  shelves: { path: '/api/shelves', text: 'own shelves' },
  nobody: 'nobody answers here',
}

/** A response with two cookies, which must be two headers, from the API of `openSignIn`. */
const twoCookies: Case = { title: 'two cookies', method: 'POST', url: '/auth/logout', status: 200 }

/** The titles of the cases outside of API_PREFIX, which do not reach an API that is mounted at API_PREFIX. */
export const outsidePrefix: readonly string[] = [...cases, twoCookies]
  .filter(({ url }) => !/^\/api(?![^/?])/.test(url))
  .map(({ title }) => title)

/** Declares a suite with a test for every case of the list. */
export function conforms(name: string, server: Server): void {
  suite(`conformance: ${name}`, (test) => {
    const { mount = '' } = server
    const run = Promise.all([answersOf(server), referenceOf(mount)])
    // The tests await it, so a failure to start fails them.
    run.catch(() => {})
    if (!left(twoCookies, server)) {
      test(twoCookies.title, async () => {
        const world = openSignIn()
        const { ask, stop } = await server.start(world.api)
        try {
          const answer = await ask({ ...twoCookies, url: `${mount}${twoCookies.url}` })
          equal(answer.status, twoCookies.status)
          equal(answer.headers['set-cookie']?.split('\n'), [
            `access_token=; Path=${mount || '/'}; Max-Age=0; HttpOnly; Secure; SameSite=Lax`,
            `__Secure-refresh_token=; Path=${mount}/auth/refresh; Max-Age=0; HttpOnly; Secure; SameSite=Strict`,
          ])
        } finally {
          await stop()
          await world.close()
        }
      })
    }
    for (const [i, one] of cases.entries()) {
      if (left(one, server)) continue
      test(one.title, async () => {
        const [answers, references] = await run
        const answer = answers[i] as Wire
        equal(answer.status, one.status, `${answer.status}: ${answer.body.slice(0, 300)}`)
        for (const text of [one.has ?? []].flat()) {
          const part = text.replace('{mount}', mount)
          ok(answer.body.includes(part), `${part} is not in ${answer.body.slice(0, 500)}`)
        }
        for (const [name, value] of Object.entries(one.tells ?? {})) {
          equal(answer.headers[name], value)
        }
        if (one.host) return
        const reference = references[i] as Wire
        equal(answer.body, one.method === 'HEAD' ? '' : reference.body)
        const added = server.adds ?? []
        equal(without(answer.headers, added), without(reference.headers, added))
      })
    }
  })
}

const left = ({ only, title }: Case, { parsed, web, except }: Server): boolean =>
  ([only].flat().includes('unparsed') && parsed === true) ||
  ([only].flat().includes('raw') && web === true) ||
  except?.includes(title) === true

async function answersOf(server: Server): Promise<Wire[]> {
  const world = await openWorld()
  const { ask, stop } = await server.start(world.api)
  const answers: Wire[] = []
  try {
    for (const one of cases) {
      if (left(one, server)) answers.push({ status: 0, headers: {}, body: '' })
      else answers.push(await ask({ ...one, url: `${server.mount ?? ''}${one.url}` }))
    }
    return answers
  } finally {
    await stop()
    await world.close()
  }
}

async function referenceOf(baseUrl: string): Promise<Wire[]> {
  const world = await openWorld()
  const answers: Wire[] = []
  for (const one of cases) {
    if (one.host) answers.push({ status: 0, headers: {}, body: '' })
    else answers.push(await reference(world.api, one, baseUrl))
  }
  await world.close()
  return answers
}

async function reference(api: Api, one: Case, baseUrl: string): Promise<Wire> {
  const { method = 'GET', url, body } = one
  const reading = !/^(GET|HEAD)$/.test(method) && body !== undefined && body.length > 0
  const request: ApiRequest = {
    method,
    url,
    headers: headersOf(one),
    ...(reading ? { body } : {}),
    ...(baseUrl === '' ? {} : { baseUrl }),
  }
  const response = await api.handle(request)
  const text = responseText(response)
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }
  const headers = { ...response.headers, ...length }
  return { status: response.status, headers: without(headers, []), body: text ?? '' }
}

/** The headers of every case; the request id is fixed, so that responses can be compared. */
export function headersOf({ headers, body, chunked }: Case): Record<string, string> {
  const length =
    body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return { 'x-request-id': 'conformance', ...length, ...headers }
}

/** Removes headers of the connection, the date, and headers of the host. */
function without(
  headers: Readonly<Record<string, string>>,
  added: readonly string[],
): Record<string, string> {
  const others = new Set(['date', 'connection', 'keep-alive', 'x-powered-by', ...added])
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !others.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** A case as a web Request. */
export function toRequest(one: Case): Request {
  const { method = 'GET', url, body, chunked } = one
  const sent = chunked ? new Blob([body as string]).stream() : body
  return new Request(`http://localhost${url}`, {
    method,
    headers: headersOf(one),
    ...(sent === undefined ? {} : { body: sent as BodyInit, duplex: 'half' }),
  } as RequestInit)
}

export async function toWire(response: Response): Promise<Wire> {
  const headers = Object.fromEntries(response.headers)
  if ('set-cookie' in headers) headers['set-cookie'] = response.headers.getSetCookie().join('\n')
  return { status: response.status, headers, body: await response.text() }
}

/** Serves a node listener on a free port. The URLs of requests are sent as written, without normalisation. */
export async function listening(
  server: http.Server,
): Promise<{ readonly ask: Ask; readonly port: number; stop(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    ask: (one) => send(port, one),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Puts the values of a header that was sent several times on separate lines. */
export const inLines = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join('\n')]),
  )

/** Sends a case over a new connection. */
export function send(port: number, one: Case): Promise<Wire> {
  const { method = 'GET', url, body, chunked } = one
  return new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: '127.0.0.1', method, path: url, headers: headersOf(one), agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: inLines(response.headers),
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    if (chunked && body !== undefined) {
      const bytes = Buffer.from(body)
      request.write(bytes.subarray(0, 5))
      request.write(bytes.subarray(5))
    } else if (body !== undefined) request.write(body)
    request.end()
  })
}
