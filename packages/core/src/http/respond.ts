// The last step of every answer: status, headers that all have, body.

import type { JsonValue } from '../json/json-value.ts'
import { type ApiRequest, header } from './request.ts'
import type { ApiResponse, TextResponse } from './response.ts'

/** Headers of some stage; later ones replace earlier ones. */
type Headers = Readonly<Record<string, string>> | undefined

/** An answer; `headers` may replace those that all have. */
export const respond = (
  status: number,
  body: JsonValue | undefined,
  requestId: string,
  ...headers: readonly Headers[]
): ApiResponse => ({
  status,
  headers: headersOf(body !== undefined, requestId, headers),
  body: body as ApiResponse['body'],
})

/** As `respond`, of a body that is text already. */
export const respondText = (
  status: number,
  text: string,
  requestId: string,
  ...headers: readonly Headers[]
): TextResponse => ({ status, headers: headersOf(true, requestId, headers), text })

function headersOf(
  hasBody: boolean,
  requestId: string,
  headers: readonly Headers[],
): Record<string, string> {
  const all: Record<string, string> = hasBody
    ? {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': requestId,
        'x-content-type-options': 'nosniff',
      }
    : { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
  for (const some of headers) {
    // One by one: Object.assign takes several times as long for so few.
    if (some !== undefined) for (const name of Object.keys(some)) all[name] = some[name] as string
  }
  return all
}

/** The client's own request id where it is harmless, else a new one (contract §2). */
export function requestIdOf(request: ApiRequest): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
