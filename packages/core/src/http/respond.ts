// The last step of every answer: status, headers that all have, body.

import type { JsonValue } from '../json/json-value.ts'
import { type ApiRequest, header } from './request.ts'
import type { ApiResponse } from './response.ts'

/** An answer; `headers` may replace those that all have. */
export function respond(
  status: number,
  body: JsonValue | undefined,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
  return {
    status,
    headers: {
      ...type,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: body as ApiResponse['body'],
  }
}

/** The client's own request id where it is harmless, else a new one (contract §2). */
export function requestIdOf(request: ApiRequest): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
