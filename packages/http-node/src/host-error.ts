// Errors of the host's own middleware (guards, routers) → the refusal a client of the API gets.

import { STATUS_CODES } from 'node:http'
import { ApiError, apiError } from '@model-api/core'

/** What frameworks hang on an error: http-errors and its kin. */
interface Refusal {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: unknown
  readonly message?: unknown
}

/** Messages of middleware quote the request, and no refusal may be much longer than that. */
const longestMessage = 1000

/**
 * A client error keeps its status, and its message where that is meant for clients; anything else stays what it is, and
 * is answered with 500.
 *
 * `createError(403, 'Not from this network')` → 403, `{ error: 'Forbidden', reason: 'Not from this network' }`
 */
export function hostError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  const { status, statusCode, expose, message } = (error ?? {}) as Refusal
  const code = status ?? statusCode
  if (typeof code !== 'number' || code < 400 || code > 499) return error
  const reason =
    expose === true && message
      ? String(message).slice(0, longestMessage)
      : 'The request could not be read.'
  return apiError(code, STATUS_CODES[code] ?? 'Bad Request', reason)
}
