/** Clients that disconnect, or send without pause: no request gets two responses, nothing crashes, and the next request is served. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { cases } from './cases.ts'
import type { Ask, Server } from './conformance.ts'
import { openWorld } from './world.ts'

const head = (path: string, more: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${more}\r\n\r\n`

/** Declares the suite. The server's `start` must return a port. Pipelining is tested only on servers that call `api.answer`. */
export function survives(name: string, server: Server): void {
  const { mount = '', web } = server
  const path = `${mount}/api/books`

  const started = (api: Api) =>
    server.start(api) as Promise<{
      readonly port: number
      readonly ask: Ask
      stop(): Promise<void>
    }>

  const running = async (run: (port: number) => Promise<void>): Promise<void> => {
    const { api, close } = await openWorld()
    const { port, ask, stop } = await started(api)
    try {
      await run(port)
      await stillServes(ask)
    } finally {
      await stop()
      await close()
    }
  }

  async function stillServes(ask: Ask): Promise<void> {
    const one = cases[0]
    if (one !== undefined) equal((await ask({ ...one, url: `${mount}${one.url}` })).status, 200)
  }

  const open = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  suite(`rough clients: ${name}`, (test) => {
    test('one that disconnects while it sends its body', () =>
      running(async (port) => {
        const socket = await open(port)
        socket.write(`${head(path, 'content-length: 100')}{"title":`)
        await sleep(30)
        socket.destroy()
        await sleep(30)
      }))

    test('one that disconnects before the response', () =>
      running(async (port) => {
        const sockets = await Promise.all(Array.from({ length: 20 }, () => open(port)))
        for (const socket of sockets) {
          socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
          setImmediate(() => socket.destroy())
        }
        await sleep(60)
      }))

    test('one that never stops sending is answered at the limit', () =>
      running(async (port) => {
        const socket = await open(port)
        let answer = ''
        socket.setEncoding('utf8').on('data', (data) => {
          answer += data
        })
        socket.write(head(path, 'transfer-encoding: chunked'))
        for (let i = 0; i < 50 && !answer.includes('\r\n\r\n'); i++) {
          socket.write(`3e8\r\n${' '.repeat(1000)}\r\n`)
          await sleep(5)
        }
        ok(answer.startsWith('HTTP/1.1 413 '), answer.slice(0, 200))
        socket.destroy()
      }))

    test('one that announces a body over the limit gets its response before it sends the body', () =>
      running(async (port) => {
        const socket = await open(port)
        socket.write(head(path, 'content-length: 999999'))
        const [data] = (await once(socket, 'data')) as [Buffer]
        ok(data.toString().startsWith('HTTP/1.1 413 '), data.toString().slice(0, 200))
        socket.destroy()
      }))

    if (web === true) return

    test('one that pipelines requests and reads nothing has one response in memory', async () => {
      const { api, close } = await openWorld()
      let begun = 0
      const large = `"${'x'.repeat(16 * 1024 * 1024)}"`
      const answering: Api = {
        ...api,
        answer: async () => {
          begun += 1
          return { status: 200, headers: { 'content-type': 'application/json' }, text: large }
        },
      }
      const { port, stop } = await started(answering)
      try {
        const socket = await open(port)
        socket.pause()
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(20))
        await sleep(300)
        equal(begun, 1)
        socket.destroy()
        // The pipelined requests of that connection do not begin any more.
        await sleep(50)
        equal(begun, 1)
      } finally {
        await stop()
        await close()
      }
    })

    test('one that pipelines and reads gets every response, in order', async () => {
      const { api, close } = await openWorld()
      const answering: Api = {
        ...api,
        // Without order, the first response would be sent last.
        answer: async ({ url }) => {
          const place = Number(url.slice(-1))
          await sleep(5 * (5 - place))
          return { status: 200, headers: {}, text: `answer ${place}.` }
        },
      }
      const { port, stop } = await started(answering)
      try {
        const socket = await open(port)
        let received = ''
        socket.setEncoding('utf8').on('data', (data) => {
          received += data
        })
        for (const place of [1, 2, 3, 4, 5]) {
          socket.write(`GET ${path}?limit=${place} HTTP/1.1\r\nhost: x\r\n\r\n`)
        }
        for (let i = 0; i < 200 && !received.includes('answer 5.'); i++) await sleep(10)
        equal(
          received.match(/answer \d/g),
          [1, 2, 3, 4, 5].map((place) => `answer ${place}`),
        )
        socket.destroy()
      } finally {
        await stop()
        await close()
      }
    })

    test('one that pipelines too many requests is disconnected', async () => {
      const { api, close } = await openWorld()
      let begun = 0
      const counting: Api = {
        ...api,
        answer: (request) => {
          begun += 1
          return api.answer(request)
        },
      }
      const { port, stop } = await started(counting)
      try {
        const socket = await open(port)
        socket.resume()
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(1000))
        await once(socket, 'close')
        ok(begun < 200, `${begun} requests were answered`)
      } finally {
        await stop()
        await close()
      }
    })
  })
}
