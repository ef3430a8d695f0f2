// wholeQuery: the query of a request with the method QUERY, whose body is the rest of its query string. Such a request is a read; only its
// body is read here.

import { missingMediaType, parsedQueryBody, unsupportedMediaType } from '../../errors.ts'
import { type ApiRequest, header } from '../../model/request.ts'
import { type BodyLimit, bodyText, refuseUnreadable } from './text/request-body.ts'

/** The media type of a query, for the header Accept-Query. */
export const queryMediaType = 'application/x-www-form-urlencoded'

/** `application/x-www-form-urlencoded`, also with `; charset=utf-8`. */
const form = /^application\/x-www-form-urlencoded\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?\s*)?)*$/i

/**
 * The query of a QUERY request: the query of its URL, then its body. Throws 400 without a media type, 415 for another one, and 413
 * beyond the limit.
 *
 * `QUERY /api/books?limit=5` with the body `price__ge=30` → `limit=5&price__ge=30`
 */
export function wholeQuery(request: ApiRequest, urlQuery: string, limit: BodyLimit): string {
  const { body } = request
  const type = header(request, 'content-type')
  if (type === undefined) throw missingMediaType(queryMediaType)
  if (!form.test(type)) throw unsupportedMediaType(type, queryMediaType)
  refuseUnreadable(request, limit)
  const query = queryText(body, limit)
  return [urlQuery, query].filter((part) => part !== '').join('&')
}

/** The body as text; throws 400 if a body parser of the host has read it, and 413 beyond the limit. */
function queryText(body: unknown, limit: BodyLimit): string {
  if (body === undefined || body === '') return ''
  // A body parser of the host loses the order of the parameters and the structure of `or[…]`.
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw parsedQueryBody()
  return bodyText(body, limit)
}
