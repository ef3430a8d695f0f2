// Reads a request that a framework may have touched already: its parsed body, where a parser of the host has run.

import type { IncomingMessage } from 'node:http'
import type { ApiRequest } from '@model-api/core'
import { type ReadOptions, readRequest } from './read-request.ts'

/** Where a framework keeps what it knows of a request. */
export interface Parsed extends Pick<ReadOptions, 'bodyLimit' | 'host'> {
  /** The parsed body, or undefined where no parser has read it. */
  readonly body: unknown
  /** Path and raw query below the mount prefix. */
  readonly url: string
  /** The mount prefix, or an empty text. */
  readonly baseUrl: string
}

/** The request as the API takes it; the stream is read only where nobody has read it before. */
export function readParsed(
  req: IncomingMessage,
  { body, ...options }: Parsed,
): Promise<ApiRequest> {
  // A parser that found nothing to parse leaves an empty object and the stream untouched.
  const untouched = body === undefined || (isEmpty(body) && !req.readableEnded && !req.complete)
  if (untouched && !req.readableEnded) return readRequest(req, options)
  return readRequest(req, { ...options, body: asText(body) })
}

const isEmpty = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0

/** A parser may leave bytes; core reads text, or a parsed value. */
function asText(body: unknown): unknown {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body
}
