// Converts errors of the host's middleware (guards, routers) to the ApiError that the client receives.

import { STATUS_CODES } from 'node:http'
import { ApiError, apiError } from '@model-api/core'

/** The properties that http-errors and similar libraries set on errors. */
interface Refusal {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: unknown
  readonly message?: unknown
}

/** Longest message that is sent, in characters; middleware may quote the request at any length. */
const longestMessage = 1000

/**
 * Converts an error. A 4xx error keeps its status, and its message if `expose` is true. Any other error is returned unchanged and
 * gives 500.
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
