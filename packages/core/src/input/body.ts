// The body of a request: media type, size, JSON; what it means is the business of `read-record.ts`.

import {
  ApiError,
  bodyTooLarge,
  emptyBody,
  encodedBody,
  malformedEncoding,
  unsupportedMediaType,
} from '../errors.ts'
import { type ApiRequest, header } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { readParsedJson } from './json-parsed.ts'
import { readJsonText } from './json-text.ts'
import type { InputProblems } from './problems.ts'

const json = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** `bytes` is the largest size, `setting` the name of its setting. */
export interface BodyLimit {
  readonly bytes: number
  readonly setting: string
}

/**
 * Reads the body of a write: 415 unless it is `application/json` as it is, 413 beyond the limit, 400 where it is no JSON.
 *
 * A body that is no text needs no media type: it never was one.
 */
export function readBody(
  request: ApiRequest,
  limit: BodyLimit,
  problems: InputProblems,
): JsonValue {
  const { body } = request
  const type = header(request, 'content-type')
  const text = typeof body === 'string' || body instanceof Uint8Array
  if (body === undefined || body === '') throw emptyBody()
  if (type === undefined ? text : !json.test(type)) throw unsupportedMediaType(type)
  const encoding = header(request, 'content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw encodedBody(encoding)
  if (Number(header(request, 'content-length') ?? 0) > limit.bytes) {
    throw bodyTooLarge(limit.setting, limit.bytes)
  }
  // The adapter could not read it, and only now does that matter.
  if (body instanceof ApiError) throw body
  if (!text) return readParsedJson(body, problems)
  if (sizeOf(body) > limit.bytes) throw bodyTooLarge(limit.setting, limit.bytes)
  return readJsonText(typeof body === 'string' ? body : decoded(body), problems)
}

function sizeOf(body: string | Uint8Array): number {
  if (typeof body !== 'string') return body.length
  // Only what is not plain ASCII has more bytes than characters.
  return /^[\0-\x7f]*$/.test(body) ? body.length : new TextEncoder().encode(body).length
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformedEncoding('the body')
  }
}
