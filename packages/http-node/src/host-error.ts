// Errors of the host's own middleware (body parsers, routers) → the refusal a client of the API gets.

import { STATUS_CODES } from 'node:http'
import { ApiError, apiError } from '@model-api/core'

/**
 * A client error keeps its status and gets our words; anything else stays what it is, and is answered with 500.
 *
 * body-parser's `entity.parse.failed` → 400 `The body is not valid JSON.`
 */
export function hostError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown }
  if (typeof status !== 'number' || status < 400 || status > 499) return error
  return apiError(status, STATUS_CODES[status] ?? 'Bad Request', reasonOf(status, type))
}

function reasonOf(status: number, type: unknown): string {
  if (type === 'entity.parse.failed') return 'The body is not valid JSON.'
  if (status === 413) return 'The body is larger than the server reads.'
  return 'The request could not be read.'
}
