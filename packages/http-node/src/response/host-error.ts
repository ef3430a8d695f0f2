// hostError: converts errors of the host's middleware (guards, routers, body parsers) on the API's paths to the ApiError that the client
// receives. The adapters for Express and Koa pass the result to `api.refuse`.

import { STATUS_CODES } from 'node:http'
import { ApiError, apiError, incompleteBody, unreadBody } from '@model-api/core'
import { ClientError } from '@model-api/core/client'

/** The properties that http-errors, express-jwt and similar libraries set on errors. */
interface Refusal {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly expose?: unknown
  readonly message?: unknown
  readonly headers?: unknown
}

/** The properties that body parsers set on errors: a type, or the text that they could not parse. */
interface ParserError extends Refusal {
  readonly type?: unknown
  readonly body?: unknown
  readonly limit?: unknown
}

/** Longest message that is sent, in characters; middleware may quote the request at any length. */
const longestMessage = 1000

/**
 * Converts an error. A 4xx error keeps its status, its `code` (by default the name of the status), its `headers`, and its message if
 * `expose` is true; for that of a body parser, or of a call of `api.as`, `api.refuse` finds the API's own error. Any other error is
 * returned unchanged and gives 500.
 *
 * `createError(403, 'Not from this network')` → 403, `{ error: 'Forbidden', reason: 'Not from this network', code: 'forbidden' }`
 */
export function hostError(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof ClientError) return error
  return parserError((error ?? {}) as ParserError) ?? refusalOf((error ?? {}) as Refusal) ?? error
}

/**
 * Whether an error is a refusal in the sense of the API: one that `apiError` has made, or that of a call of `api.as`. The adapters answer it on
 * the host's own paths, too, where other errors are left to the host.
 */
export const isApiRefusal = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof ClientError && error.cause instanceof ApiError)

/** Converts an error with a 4xx status; undefined for any other error. */
function refusalOf(error: Refusal): ApiError | undefined {
  const { expose, message, headers } = error
  const status = error.status ?? error.statusCode
  if (typeof status !== 'number' || !Number.isInteger(status)) return undefined
  if (status < 400 || status > 499) return undefined
  const reason =
    expose === true && message
      ? String(message).slice(0, longestMessage)
      : status === 400
        ? 'The request could not be read.'
        : 'The request was refused before it reached the API.'
  const name = STATUS_CODES[status] ?? 'Bad Request'
  const { body } = apiError(status, name, reason, codeOf(error) ?? codeNamed(name))
  return new ApiError(status, body, headersOf(headers))
}

/** Returns the code of an error, such as `credentials_required`; undefined if no response can have it as its code. */
const codeOf = ({ code }: Refusal): string | undefined =>
  typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code : undefined

/** `Too Many Requests` → `too_many_requests` */
const codeNamed = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '_')

/** Returns the headers that a library has put on its error, such as `Retry-After` or `WWW-Authenticate`. */
function headersOf(headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {}
  const sendable = Object.entries(headers).filter(([, value]) =>
    ['string', 'number'].includes(typeof value),
  )
  return Object.fromEntries(sendable.map(([name, value]) => [name, String(value)]))
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
