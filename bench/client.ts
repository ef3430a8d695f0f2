/** The load: keep-alive connections, each of which sends its next request as soon as it has a response, for a limited time. */
import { connect, type Socket } from 'node:net'
import type { Ask } from './ask.ts'

export interface Load {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds of each request, in order of size. */
  readonly latencies: Float64Array
  /** The status and body of the first response that is not a success. */
  readonly failure: string | undefined
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly ask: () => Ask
  /** The number of requests to begin per second, as far as the server keeps up. Default: as many as possible. */
  readonly perSecond?: number
  /**
   * Keeps the process of the load busy, so that the server under test spends no CPU on waking it. Otherwise a slow server would
   * have to wake it more often than a fast one.
   */
  readonly awake?: boolean
  /** The load continues until it has this many responses, for at most half a minute. */
  readonly least?: number
}

const longest = 30_000

/** Sends requests for `seconds`, or longer until `least` is reached. Then waits for the running requests. */
export async function load(options: LoadOptions): Promise<Load> {
  const { port, connections, seconds, ask, perSecond, awake, least = 0 } = options
  const latencies: number[] = []
  let failure: string | undefined
  const started = performance.now()
  const end = started + seconds * 1000
  const goesOn = (): boolean => {
    const now = performance.now()
    return now < end || (latencies.length < least && now < started + longest)
  }
  const stayAwake = (): void => {
    if (goesOn()) setImmediate(stayAwake)
  }
  if (awake === true) stayAwake()
  await Promise.all(
    Array.from({ length: connections }, async (_, i) => {
      const connection = await open(port)
      for (let n = i; goesOn() && failure === undefined; n += connections) {
        if (perSecond !== undefined) await until(started + (n * 1000) / perSecond)
        const before = performance.now()
        const { status, body } = await connection.send(ask())
        latencies.push(performance.now() - before)
        if (status >= 300) failure ??= `${status} ${body.toString().slice(0, 300)}`
      }
      connection.close()
    }),
  )
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1000,
    latencies: Float64Array.from(latencies).sort(),
    failure,
  }
}

/** Waits until a moment. A timer may be a millisecond late; the next request of the connection makes up for that. */
async function until(moment: number): Promise<void> {
  const wait = moment - performance.now()
  if (wait > 0.5) await new Promise((resolve) => setTimeout(resolve, wait))
}

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/** Returns a header, by its name in lower case. */
export function headerOf(head: string, name: string): string | undefined {
  return head
    .split('\r\n')
    .find((line) => line.toLowerCase().startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim()
}

export interface Connection {
  send(ask: Ask): Promise<Answer>
  close(): void
}

/** Opens a connection for one request at a time. Supports only those parts of HTTP that the measured servers send. */
export function open(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
    let received: Buffer = Buffer.alloc(0)
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const fail = (error: Error): void => {
      settle?.reject(error)
      reject(error)
    }
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the server closed the connection')))
    socket.on('data', (part) => {
      received = received.length === 0 ? part : Buffer.concat([received, part])
      const answer = answerIn(received)
      if (answer === undefined) return
      received = Buffer.alloc(0)
      settle?.resolve(answer)
    })
    socket.on('connect', () =>
      resolve({
        send: (ask) =>
          new Promise((resolveAnswer, rejectAnswer) => {
            settle = { resolve: resolveAnswer, reject: rejectAnswer }
            socket.write(requestText(ask))
          }),
        close: () => socket.destroy(),
      }),
    )
  })
}

function requestText({ method, url, body, headers = {} }: Ask): string {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${url} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n${own.join('')}`
  return body === undefined
    ? `${head}\r\n`
    : `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Returns the response once it is complete; undefined before. */
function answerIn(received: Buffer): Answer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end)
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without Content-Length:\n${head}`)
  const body = received.subarray(end + 4)
  if (body.length < Number(length)) return undefined
  return { status: Number(head.slice(9, 12)), head, body }
}
