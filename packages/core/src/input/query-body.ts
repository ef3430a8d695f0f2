// The body of a QUERY request: the rest of its query string.

import {
  ApiError,
  bodyTooLarge,
  encodedBody,
  malformedEncoding,
  missingMediaType,
  parsedQueryBody,
  unsupportedMediaType,
} from '../errors.ts'
import { type ApiRequest, header } from '../http/request.ts'
import { type BodyLimit, bodySize } from './body.ts'

/** The media type of a query, for the header Accept-Query. */
export const queryMediaType = 'application/x-www-form-urlencoded'

const form = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/**
 * The query of a QUERY request: that of its URL, then its body. Throws 400 without a media type, 415 for another one, and 413
 * beyond the limit.
 *
 * `QUERY /api/books?limit=5` with the body `price__ge=30` → `limit=5&price__ge=30`
 */
export function wholeQuery(request: ApiRequest, urlQuery: string, limit: BodyLimit): string {
  const { body } = request
  const type = header(request, 'content-type')
  if (type === undefined) throw missingMediaType(queryMediaType)
  if (!form.test(type)) throw unsupportedMediaType(type, queryMediaType)
  const encoding = header(request, 'content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw encodedBody(encoding)
  if (Number(header(request, 'content-length') ?? 0) > limit.bytes) {
    throw bodyTooLarge(limit.setting, limit.bytes)
  }
  // The adapter could not read the body.
  if (body instanceof ApiError) throw body
  const query = textOf(body, limit)
  return [urlQuery, query].filter((part) => part !== '').join('&')
}

function textOf(body: unknown, limit: BodyLimit): string {
  if (body === undefined || body === '') return ''
  // A form that the host has parsed has lost the order of its parameters and the structure of `or[…]`.
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw parsedQueryBody()
  if (bodySize(body) > limit.bytes) throw bodyTooLarge(limit.setting, limit.bytes)
  if (typeof body === 'string') return body
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw malformedEncoding('the body')
  }
}
