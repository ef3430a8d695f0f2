// Reads the result of a body parser of the host: the parsed value, or its error.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError, incompleteBody } from '@model-api/core'
import { announcesBody, readBody } from './read-body.ts'

/**
 * Returns the body that a parser of the host has parsed.
 *
 * If no parser did, `parsed` is undefined or an empty object and the stream is unread; this function then reads the body.
 */
export function readParsed(
  req: IncomingMessage,
  parsed: unknown,
  limit: number,
): unknown | Promise<unknown> {
  if (!announcesBody(req)) return undefined
  const untouched = !req.readableDidRead && (parsed === undefined || isEmpty(parsed))
  return untouched ? readBody(req, limit) : parsed
}

const isEmpty = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0

/** The error of a body parser: an http-errors error with a type, or with the text it could not parse. */
interface ParserError {
  readonly type?: unknown
  readonly status?: unknown
  readonly body?: unknown
  readonly limit?: unknown
  readonly code?: unknown
}

/**
 * Returns what to pass as the body after a body parser failed: the text, which the API then refuses with its own error, or an
 * ApiError. Undefined if the error is not from a body parser.
 */
export function unreadBody(error: unknown): string | ApiError | undefined {
  const { type, status, body, limit, code } = (error ?? {}) as ParserError
  if (type === 'entity.verify.failed') return undefined
  if (typeof body === 'string' && status === 400) return body
  if (status === 415) {
    return apiError(415, 'Unsupported Media Type', 'The body must be uncompressed JSON in UTF-8.')
  }
  // Decompression failed; the API refuses compressed bodies anyway.
  if (typeof code === 'string' && code.startsWith('Z_')) return incompleteBody()
  switch (type) {
    case 'entity.too.large': {
      const bound = typeof limit === 'number' ? ` than ${limit} bytes` : ' than it may be'
      return apiError(413, 'Content Too Large', `The body is larger${bound}.`)
    }
    case 'request.aborted':
    case 'request.size.invalid':
      return incompleteBody()
    default:
      return undefined
  }
}
