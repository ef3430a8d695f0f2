// createServer: a node:http server with time limits, error responses to malformed requests, and a graceful shutdown.

import * as http from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, apiError, responseText } from '@model-api/core'
import { readRequest } from '../request/api-request.ts'
import { writeResponse } from '../response/write-response.ts'
import { type ListenerOptions, listener } from './listener.ts'

export interface ServerOptions
  extends Pick<ListenerOptions, 'fallback' | 'sendTimeout' | 'baseUrl'> {
  /** Milliseconds for the headers of a request. Default 15 000. */
  readonly headersTimeout?: number | undefined
  /** Milliseconds for a whole request, its body included. Default 30 000. */
  readonly requestTimeout?: number | undefined
  /** Milliseconds an idle connection stays open. Default 5 000. */
  readonly keepAliveTimeout?: number | undefined
  /**
   * Milliseconds for which `close` still accepts requests after the health route has begun to respond with 503: the time that a
   * load balancer needs to notice. Default 0.
   */
  readonly drainDelay?: number | undefined
  /** Milliseconds that `close` waits for running requests. Default 10 000. */
  readonly drainTimeout?: number | undefined
}

export interface ApiServer {
  /** The node:http server, for everything not covered here. */
  readonly server: http.Server
  /**
   * Starts listening and resolves to the URL; port 0 takes any free port. Rejects if the port is in use.
   *
   * Default: port 3000 on 127.0.0.1, which only this machine can reach.
   */
  listen(port?: number, host?: string): Promise<string>
  /**
   * Makes the health route respond with 503, waits for `drainDelay`, stops accepting connections, waits for running requests,
   * then closes the API. A connection that had a response within the last 500 ms may send one more request, which is
   * answered with `Connection: close`. A second call returns the same promise.
   */
  close(): Promise<void>
}

/**
 * Milliseconds that a connection stays open after its last response while the server closes: its client may have sent the
 * next request before it learns that the server closes.
 */
const nextRequestGrace = 500

/**
 * Creates a server for an API.
 *
 * ```ts
 * const server = createServer(api)
 * console.log(await server.listen(3000)) // http://127.0.0.1:3000
 * process.once('SIGTERM', () => server.close())
 * ```
 */
export function createServer(
  api: Pick<Api, 'answer' | 'refuse' | 'owns' | 'bodyLimit' | 'close'> &
    Partial<Pick<Api, 'drain'>>,
  options: ServerOptions = {},
): ApiServer {
  const answering = new Set<http.ServerResponse>()
  const answer = listener(api, options)
  let closing: Promise<void> | undefined
  /** Time of the last response that left its connection open. */
  let keptAt = Number.NEGATIVE_INFINITY
  /** Whether idle connections are closed, because the server closes and the time for next requests is over. */
  let closesIdle = false

  const refuseWith = (req: http.IncomingMessage, res: http.ServerResponse, error: Error): void => {
    api
      .refuse(readRequest(req, { res }), error)
      .then((response) => writeResponse(res, response))
      .catch(() => res.destroy())
  }
  const serve: http.RequestListener = (req, res) => {
    const isLast = closing !== undefined
    answering.add(res)
    res.once('close', () => {
      answering.delete(res)
      if (!isLast) keptAt = performance.now()
      if (closesIdle) server.closeIdleConnections()
    })
    if (isLast) res.setHeader('connection', 'close')
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      res.setHeader('connection', 'close')
      refuseWith(req, res, malformed())
    } else answer(req, res)
  }
  const server = http.createServer(
    {
      headersTimeout: options.headersTimeout ?? 15_000,
      requestTimeout: options.requestTimeout ?? 30_000,
      keepAliveTimeout: options.keepAliveTimeout ?? 5_000,
      // How often Node checks connections for timeouts, in milliseconds.
      connectionsCheckingInterval: 1_000,
      // Node would refuse a request without a Host header with an empty body; `serve` refuses it.
      requireHostHeader: false,
    },
    serve,
  )
  const refusedSockets = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Node reports the error again for each piece of data that follows.
    if (refusedSockets.has(socket)) return
    refusedSockets.add(socket)
    refuse(api, error, socket as Socket, [...answering]).catch(() => socket.destroy())
  })
  server.on('checkExpectation', (req, res) => {
    const reason = 'Of the header Expect, only 100-continue is supported.'
    refuseWith(req, res, apiError(417, 'Expectation Failed', reason))
  })
  server.on('checkContinue', (req, res) => {
    const announced = Number(req.headers['content-length'] ?? 0)
    if (announced <= api.bodyLimit) res.writeContinue()
    serve(req, res)
  })

  const end = async (): Promise<void> => {
    api.drain?.()
    const { drainDelay = 0 } = options
    if (drainDelay > 0) await sleep(drainDelay)
    let isClosed = false
    const closed = new Promise<void>((resolve) => stopListening(server, resolve)).then(() => {
      isClosed = true
    })
    for (const res of answering) if (!res.headersSent) res.setHeader('connection', 'close')
    const { drainTimeout = 10_000 } = options
    const late = setTimeout(() => server.closeAllConnections(), drainTimeout)
    await Promise.race([closed, keptAreQuiet(Math.min(nextRequestGrace, drainTimeout))])
    closesIdle = true
    // Closes idle connections and stops the timer of headersTimeout and requestTimeout.
    if (!isClosed) server.close()
    await closed
    clearTimeout(late)
    await api.close()
  }

  /** Resolves once this many milliseconds have passed since the last response that left its connection open. */
  const keptAreQuiet = async (milliseconds: number): Promise<void> => {
    // Reads the clock once and rounds up, so that the time cannot be negative.
    const left = (): number => Math.ceil(keptAt + milliseconds - performance.now())
    for (let wait = left(); wait > 0; wait = left()) await sleep(wait)
    // Lets node read requests that have arrived by now.
    await new Promise((resolve) => setImmediate(resolve))
  }

  return {
    server,
    listen: (port = 3000, host = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(urlOf(server.address() as AddressInfo))
        })
      }),
    close: () => {
      closing ??= end()
      return closing
    },
  }
}

/** Closes the listening socket only; `server.close` also closes idle connections. */
function stopListening(server: http.Server, then: () => void): void {
  NetServer.prototype.close.call(server, () => then())
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Responds to a request that Node's parser refused, and closes the connection. Earlier requests of the connection get their responses
 * first, so that none of them is taken to be the refused one.
 */
async function refuse(
  api: Pick<Api, 'refuse'>,
  error: NodeJS.ErrnoException,
  socket: Socket,
  answering: readonly http.ServerResponse[],
): Promise<void> {
  const unfinished = answering.filter(({ req }) => req.socket === socket)
  await sent(
    unfinished.filter(({ req }) => req.complete),
    socket,
  )
  // A second response would corrupt the one being sent.
  const busy = unfinished.some((res) => !res.req.complete && res.headersSent)
  if (error.code === 'ECONNRESET' || !socket.writable || busy) {
    socket.destroy()
    return
  }
  const response = await api.refuse({ method: 'GET', url: '/', headers: {} }, reasonFor(error))
  const { status, headers } = response
  const text = responseText(response) ?? ''
  const lines = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

/** Resolves once the responses have been sent or their connection is closed. */
async function sent(responses: readonly http.ServerResponse[], socket: Socket): Promise<void> {
  if (responses.length === 0 || socket.destroyed) return
  const all = responses.map(
    (res) => res.writableFinished || new Promise((resolve) => void res.once('finish', resolve)),
  )
  const closed = new Promise((resolve) => void socket.once('close', resolve))
  await Promise.race([closed, Promise.all(all)])
}

const malformed = (): Error =>
  apiError(400, 'Bad Request', 'This is not a well-formed HTTP request.')

/** The error of the response for an error of Node's parser. */
function reasonFor(error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return apiError(431, 'Request Header Fields Too Large', 'URL and headers exceed 16 KB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return apiError(408, 'Request Timeout', 'The request was not complete in time.')
    default:
      return malformed()
  }
}
