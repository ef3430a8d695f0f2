// Refusals: answers to requests that never reach the API, in the shape of its envelope.

import { ApiError, type ApiResponse, apiError } from '@model-api/core'

/** The answer to a request that could not be read. What is not an ApiError is nobody's business outside. */
export function refusal(error: unknown, now: Date = new Date()): ApiResponse {
  const known = error instanceof ApiError ? error : apiError(500, 'Internal Server Error')
  return {
    status: known.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...known.headers,
    },
    body: {
      datetime: now.toISOString().replace('Z', '+00:00'),
      status_code: known.status,
      total_count: 0,
      next_url: null,
      previous_url: null,
      errors: known.body,
      value: null,
    } as ApiResponse['body'],
  }
}
