// What a body parser of the host leaves of a body: the parsed value, or an error with the text it stumbled over.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError, incompleteBody } from '@model-api/core'
import { announcesBody, readBody } from './read-body.ts'

/**
 * A body that a parser of the host has read, or failed to read: what it left of it.
 *
 * A parser that found nothing to parse leaves nothing, or an empty object, and the stream untouched. Only then there is
 * something to wait for.
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

/** What a body parser throws: http-errors with a type, or with the text it stumbled over. */
interface ParserError {
  readonly type?: unknown
  readonly status?: unknown
  readonly body?: unknown
  readonly limit?: unknown
  readonly code?: unknown
}

/**
 * The body behind an error of a body parser, or undefined where the error is no such one: its text, which the API then
 * refuses in its own words, or the ApiError to answer.
 */
export function unreadBody(error: unknown): string | ApiError | undefined {
  const { type, status, body, limit, code } = (error ?? {}) as ParserError
  if (type === 'entity.verify.failed') return undefined
  if (typeof body === 'string' && status === 400) return body
  if (status === 415) {
    return apiError(415, 'Unsupported Media Type', 'The body must be JSON in UTF-8, not packed.')
  }
  // It could not be unpacked; the API refuses what is packed anyway.
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
