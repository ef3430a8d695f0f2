// The last step of every answer: status, headers that all have, body.

import type { JsonValue } from '../json/json-value.ts'
import { type ApiRequest, header } from './request.ts'
import type { ApiResponse } from './response.ts'

/** An answer; `headers` may replace those that all have, and later ones earlier ones. */
export function respond(
  status: number,
  body: JsonValue | undefined,
  requestId: string,
  ...headers: readonly (Readonly<Record<string, string>> | undefined)[]
): ApiResponse {
  const all: Record<string, string> = {}
  if (body !== undefined) all['content-type'] = 'application/json; charset=utf-8'
  all['x-request-id'] = requestId
  all['x-content-type-options'] = 'nosniff'
  for (const some of headers) {
    // One by one: Object.assign takes several times as long for so few.
    if (some !== undefined) for (const name of Object.keys(some)) all[name] = some[name] as string
  }
  return { status, headers: all, body: body as ApiResponse['body'] }
}

/** The client's own request id where it is harmless, else a new one (contract §2). */
export function requestIdOf(request: ApiRequest): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
