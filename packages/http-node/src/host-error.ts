// Converts errors of the host's middleware (guards, routers, body parsers) to the ApiError that the client receives.

import { STATUS_CODES } from 'node:http'
import { ApiError, apiError, incompleteBody, unreadBody } from '@model-api/core'

/** The properties that http-errors and similar libraries set on errors. */
interface Refusal {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: unknown
  readonly message?: unknown
}

/** The properties that body parsers set on errors: a type, or the text that they could not parse. */
interface ParserError extends Refusal {
  readonly type?: unknown
  readonly body?: unknown
  readonly limit?: unknown
  readonly code?: unknown
}

/** Longest message that is sent, in characters; middleware may quote the request at any length. */
const longestMessage = 1000

/**
 * Converts an error. A 4xx error keeps its status, and its message if `expose` is true; for that of a body parser, `api.refuse` finds
 * the API's own error. Any other error is returned unchanged and gives 500.
 *
 * `createError(403, 'Not from this network')` → 403, `{ error: 'Forbidden', reason: 'Not from this network' }`
 */
export function hostError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  return parserError((error ?? {}) as ParserError) ?? refusalOf((error ?? {}) as Refusal) ?? error
}

function refusalOf({ status, statusCode, expose, message }: Refusal): ApiError | undefined {
  const code = status ?? statusCode
  if (typeof code !== 'number' || code < 400 || code > 499) return undefined
  const reason =
    expose === true && message
      ? String(message).slice(0, longestMessage)
      : 'The request could not be read.'
  return apiError(code, STATUS_CODES[code] ?? 'Bad Request', reason)
}

/** Converts the error of a body parser; undefined for any other error. */
function parserError(error: ParserError): ApiError | undefined {
  const { type, status, body, limit, code } = error
  if (type === 'entity.verify.failed') return undefined
  const isUnparsed = type === 'entity.parse.failed' || error instanceof SyntaxError
  if (isUnparsed && typeof body === 'string' && status === 400) {
    return unreadBody(refusalOf(error) ?? incompleteBody(), body)
  }
  if (status === 415) {
    const reason = 'The body must be uncompressed JSON in UTF-8.'
    return unreadBody(apiError(415, 'Unsupported Media Type', reason))
  }
  // Decompression failed; the API refuses compressed bodies anyway.
  if (typeof code === 'string' && code.startsWith('Z_')) return unreadBody(incompleteBody())
  switch (type) {
    case 'entity.too.large': {
      const bound = typeof limit === 'number' ? ` than ${limit} bytes` : ' than it may be'
      const reason = `The body is larger${bound}.`
      return unreadBody(apiError(413, 'Content Too Large', reason, 'body_too_large'))
    }
    case 'request.aborted':
    case 'request.size.invalid':
      return unreadBody(incompleteBody())
    default:
      return undefined
  }
}
