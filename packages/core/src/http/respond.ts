// Builds the response that `handle.ts` returns: status, the headers that all responses have, and the body; and chooses the id of a request.

import type { JsonValue } from '../lib/json/json-value.ts'
import { type ApiRequest, header } from '../model/request.ts'
import type { ApiResponse, TextResponse } from './response.ts'

/** Headers set by a stage; later ones replace earlier ones. */
type Headers = Readonly<Record<string, string>> | undefined

/** Builds a response; `headers` can replace the common ones. A body of undefined gives a response without body and content type. */
export const respond = (
  status: number,
  body: JsonValue | undefined,
  requestId: string,
  ...headers: readonly Headers[]
): ApiResponse => ({
  status,
  headers: headersOf({ hasBody: body !== undefined }, requestId, headers),
  body: body as ApiResponse['body'],
})

/** Builds a response, as `respond` does, whose body is already text. */
export const respondText = (
  status: number,
  text: string,
  requestId: string,
  ...headers: readonly Headers[]
): TextResponse => ({ status, headers: headersOf({ hasBody: true }, requestId, headers), text })

function headersOf(
  { hasBody }: { readonly hasBody: boolean },
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
    // Copies in a loop: `Object.assign` takes several times as long for a few members.
    if (some !== undefined) for (const name of Object.keys(some)) all[name] = some[name] as string
  }
  return all
}

/** Returns the client's X-Request-Id if it has only harmless characters, otherwise a new UUID. */
export function requestIdOf(request: ApiRequest): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
