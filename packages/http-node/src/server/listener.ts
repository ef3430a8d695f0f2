// listener: serves an API as a node:http request listener, and as middleware of hosts that pass a third argument.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Api } from '@model-api/core'
import { readRequest } from '../request/api-request.ts'
import { mountedPlace, type Place, withoutOrigin } from '../request/mount.ts'
import { readParsed } from '../request/parsed-body.ts'
import { hasBody } from '../request/received-body.ts'
import { limitSending } from '../response/send-deadline.ts'
import { sendText, writeText } from '../response/write-response.ts'
import { connectionTurn } from './connection-turns.ts'

export interface ListenerOptions {
  /** Serves every path that is not the API's. Default: `next()`, if the host passes it; otherwise the API responds with 404. */
  readonly fallback?: ((req: IncomingMessage, res: ServerResponse) => void) | undefined
  /** Milliseconds within which a client must read some of the response, or its connection is closed. Default 30 000. */
  readonly sendTimeout?: number | undefined
  /**
   * The prefix the API is mounted under, such as `/v1`: removed from the path, and added to every URL in responses. Default: the
   * part of `originalUrl` that the host has removed from the path.
   */
  readonly baseUrl?: string | undefined
  /** The value of `request.host` in hooks. Default: the Node request. */
  readonly host?: unknown
  /** The body as a parser of the host has parsed it. Default: `body` of the Node request, if there is one. */
  readonly body?: unknown
}

/** A request listener of Node; with `next`, middleware for Connect and similar frameworks. */
export type Listener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => void

/** A request listener of node:http2. */
export type Http2Listener = (
  req: Http2ServerRequest,
  res: Http2ServerResponse,
  next?: () => void,
) => void

/** The properties that hosts add to a Node request. */
interface HostRequest extends IncomingMessage {
  /** The URL before the host removed the prefix of a mount. */
  readonly originalUrl?: unknown
  /** The result of a body parser. */
  readonly body?: unknown
}

/** The part of an API that the listener uses; without `prefix`, the mount is not compared with it. */
type Served = Pick<Api, 'answer' | 'owns' | 'bodyLimit'> & Partial<Pick<Api, 'prefix'>>

/**
 * Returns the API as a request listener, which is also middleware if the host passes `next`.
 *
 * ```ts
 * http.createServer(listener(api, { fallback: (req, res) => res.end('hello') })).listen(3000)
 * http2.createSecureServer({ key, cert, allowHTTP1: true }, listener(api))
 * vite.middlewares.use(listener(api))
 * ```
 */
export function listener(api: Served, options: ListenerOptions = {}): Http2Listener & Listener {
  const { fallback } = options
  const listen: Listener = (req, res, next) => {
    const { baseUrl } = options
    const place: NamedPlace =
      baseUrl === undefined ? mountedPlace(req, api.prefix) : placeBelow(req.url ?? '/', baseUrl)
    const isOurs = place.isBelow !== false && api.owns(place.url)
    if (!isOurs && fallback !== undefined) fallback(req, res)
    else if (!isOurs && typeof next === 'function') next()
    else void serve(api, { req, res, place, options, isMiddleware: next !== undefined })
  }
  // Requests and responses of node:http2 have the members that the code above uses.
  return listen as Http2Listener & Listener
}

/** The place of a request if the host names the prefix of the mount. */
interface NamedPlace extends Place {
  /** false if the URL does not begin with the prefix; the request is then served as if the host had removed the prefix. */
  readonly isBelow?: boolean
}

/** The place of a URL below a prefix that the host names in the options. */
function placeBelow(url: string, baseUrl: string): NamedPlace {
  const path = withoutOrigin(url)
  const isBelow = path.startsWith(baseUrl) && /^(?:[/?]|$)/.test(path.slice(baseUrl.length))
  return { url: isBelow ? path.slice(baseUrl.length) : url, baseUrl, isBelow }
}

/** A request of the API, and how it reached the listener. */
interface Exchange {
  readonly req: HostRequest
  readonly res: ServerResponse
  readonly place: Place
  readonly options: ListenerOptions
  /** Whether the host has passed `next`, so that its code may use the response afterwards. */
  readonly isMiddleware: boolean
}

/** Reads the body, asks the API and sends its response, when earlier responses of the connection are sent. */
async function serve(
  api: Pick<Api, 'answer' | 'bodyLimit'>,
  { req, res, place, options, isMiddleware }: Exchange,
): Promise<void> {
  const { host = req, body: parsed = req.body, sendTimeout } = options
  try {
    const turn = connectionTurn(req, res)
    if (turn !== undefined && !(await turn)) return
    // Without a body there is nothing to await.
    const body = hasBody(req) ? await readParsed(req, parsed, api.bodyLimit) : undefined
    const { url, baseUrl } = place
    const mount = baseUrl === '' ? {} : { baseUrl }
    const response = await api.answer(readRequest(req, { url, ...mount, host, body, res }))
    // Code of the framework may read the headers afterwards.
    if (isMiddleware) writeText(res, response)
    else sendText(res, response)
    limitSending(res, sendTimeout)
  } catch {
    // Only a header that Node refuses to send throws here; no response is possible then.
    res.destroy()
  }
}
