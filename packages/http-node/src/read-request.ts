// Reads a node:http request into an ApiRequest: raw URL, headers, peer address; the body is read elsewhere.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiRequest } from '@model-api/core'
import { goneSignal } from './gone-signal.ts'
import { installedAsset } from './redoc-file.ts'

/** What only the adapter knows of a request. */
export interface RequestParts {
  /** The body, or the ApiError that says why it could not be read. */
  readonly body?: unknown
  /** The path and query below the mount prefix. Default: the request's own. */
  readonly url?: string | undefined
  /** The prefix the API is mounted under, as `/v1`. */
  readonly baseUrl?: string
  /** What hooks see as `request.host`. Default: the node request. */
  readonly host?: unknown
  /** The response, whose connection tells when the client goes away. Without it, nothing is called off. */
  readonly res?: ServerResponse
}

/**
 * The request as the API takes it. Nothing is parsed: `or[id__in=(1,2),title__eq=a%2Cb]` reaches the API as it was sent.
 *
 * ```ts
 * const response = await api.handle(readRequest(req, { body: await readBody(req, api.bodyLimit) }))
 * ```
 */
export function readRequest(req: IncomingMessage, parts: RequestParts = {}): ApiRequest {
  return new NodeRequest(req, parts)
}

/** A class, so that the signal costs nothing until it is asked for. */
class NodeRequest implements ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly asset = installedAsset
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
    this.headers = req.headers
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
