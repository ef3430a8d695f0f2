// Converts a node:http request to an ApiRequest: raw URL, headers, peer address. `received-body.ts` reads the body.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiRequest } from '@model-api/core'
import { installedAsset } from '../server/redoc-file.ts'
import { goneSignal } from './gone-signal.ts'

/** Information about a request that only the adapter has. */
export interface RequestParts {
  /** The body, or the ApiError that says why it could not be read. */
  readonly body?: unknown
  /** The path and query below the mount prefix. Default: the request's own. */
  readonly url?: string | undefined
  /** The prefix the API is mounted under, such as `/v1`. */
  readonly baseUrl?: string | undefined
  /** The value of `request.host` in hooks. Default: the Node request. */
  readonly host?: unknown
  /** The response, for noticing that the client disconnects. Without it, running statements are not cancelled. */
  readonly res?: ServerResponse | undefined
}

/**
 * Converts a Node request to an ApiRequest. The URL stays unparsed: `or[id__in=(1,2),title__eq=a%2Cb]` reaches the API unchanged.
 *
 * ```ts
 * const response = await api.handle(readRequest(req, { body: await readBody(req, api.bodyLimit) }))
 * ```
 */
export function readRequest(req: IncomingMessage, parts: RequestParts = {}): ApiRequest {
  return new NodeRequest(req, parts)
}

/** A class, so that the signal is created only on access. `ApiRequest` of the core describes its members. */
class NodeRequest implements ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly asset = installedAsset
  readonly takesBytes = true
  readonly host: unknown
  declare readonly body?: unknown
  declare readonly ip?: string
  declare readonly baseUrl?: string
  declare user?: unknown
  readonly #res: ServerResponse | undefined
  #signal: AbortSignal | undefined

  constructor(req: IncomingMessage, parts: RequestParts) {
    const { body, url = req.url ?? '/', baseUrl, host = req, res } = parts
    this.method = req.method ?? 'GET'
    this.url = url
    this.headers = headersOf(req)
    this.host = host
    this.#res = res
    const ip = req.socket.remoteAddress
    if (body !== undefined) this.body = body
    if (ip !== undefined) this.ip = ip
    if (baseUrl !== undefined) this.baseUrl = baseUrl
  }

  get signal(): AbortSignal | undefined {
    if (this.#res !== undefined) this.#signal ??= goneSignal(this.#res)
    return this.#signal
  }
}

/** Returns the headers; HTTP/2 clients send `:authority` in the place of `Host`. */
function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const authority = headers[':authority']
  return typeof authority === 'string' ? { host: authority, ...headers } : headers
}
