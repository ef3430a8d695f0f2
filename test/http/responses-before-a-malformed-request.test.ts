/**
 * What Node's HTTP parser refuses gets an error in the envelope of the API, after the responses to earlier requests of the connection:
 * a client would take an error in front of them for the response to its first request.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api, Envelope } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { openWorld } from '../http/world.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

/** Sends texts over one connection; returns the status lines and the whole of what came back. */
function send(port: number, texts: readonly string[]): Promise<{ lines: string[]; text: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (data) => {
      text += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve({ lines: text.match(/HTTP\/1\.1 \d+/g) ?? [], text }))
    for (const one of texts) socket.write(one)
  })
}

async function serving(
  run: (port: number) => Promise<void>,
  change: (api: Api) => Api = (api) => api,
): Promise<void> {
  const { api, close } = await openWorld()
  const server = createServer(change(api))
  const url = await server.listen(0)
  try {
    await run(Number(new URL(url).port))
  } finally {
    await server.close()
    await close()
  }
}

const envelopeOf = (text: string): Envelope => JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n')))

const post = (title: string): string => {
  const body = `{"title":"${title}","author_id":1}`
  return `POST /api/books HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

suite('requests that are no HTTP', (test) => {
  test('a request before gets its own response first', () =>
    serving(
      async (port) => {
        const { lines, text } = await send(port, [post('One'), post('Two'), 'no HTTP\r\n\r\n'])
        equal(lines, ['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 400'])
        equal(envelopeOf(text).status_code, 400)
      },
      // The responses are still to come when the malformed request arrives.
      (api) => ({
        ...api,
        answer: async (request) => {
          await sleep(20)
          return api.answer(request)
        },
      }),
    ))

  test('a body that is malformed is refused once, in place of the response', () =>
    serving(async (port) => {
      const head =
        'POST /api/books HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
      const { lines } = await send(port, [post('One'), head, 'zz\r\n', 'zz\r\n'])
      equal(lines, ['HTTP/1.1 201', 'HTTP/1.1 400'])
    }))

  for (const [title, head, status] of [
    ['a request without a host', 'GET /api/books HTTP/1.1\r\n\r\n', 400],
    [
      'an expectation that is unknown',
      'GET /api/books HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: tea\r\n\r\n',
      417,
    ],
  ] as const) {
    test(`${title} is ${status} in the envelope`, () =>
      serving(async (port) => {
        const { lines, text } = await send(port, [head])
        equal(lines, [`HTTP/1.1 ${status}`])
        const { status_code, errors } = envelopeOf(text)
        equal(status_code, status)
        ok(typeof errors?.reason === 'string')
      }))
  }

  test('HTTP/1.0 needs no host', () =>
    serving(async (port) => {
      equal((await send(port, ['GET /api/books HTTP/1.0\r\n\r\n'])).lines, ['HTTP/1.1 200'])
    }))
})
