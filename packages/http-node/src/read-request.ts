// Reads a node:http request into an ApiRequest: raw URL, headers, peer address; the body is read elsewhere.

import type { IncomingMessage } from 'node:http'
import type { ApiRequest } from '@model-api/core'
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
}

/**
 * The request as the API takes it. Nothing is parsed: `or[id__in=(1,2),title__eq=a%2Cb]` reaches the API as it was sent.
 *
 * ```ts
 * const response = await api.handle(readRequest(req, { body: await readBody(req, api.bodyLimit) }))
 * ```
 */
export function readRequest(req: IncomingMessage, parts: RequestParts = {}): ApiRequest {
  const { body, url = req.url ?? '/', baseUrl, host = req } = parts
  const ip = req.socket.remoteAddress
  const request: { -readonly [Name in keyof ApiRequest]: ApiRequest[Name] } = {
    method: req.method ?? 'GET',
    url,
    headers: req.headers,
    asset: installedAsset,
    host,
  }
  if (body !== undefined) request.body = body
  if (ip !== undefined) request.ip = ip
  if (baseUrl !== undefined) request.baseUrl = baseUrl
  return request
}
