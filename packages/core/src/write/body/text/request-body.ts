// readBody: reads a request body as JSON, after checking its media type and size. `read-body.ts` turns the result into records. The other
// functions check the media type, the size and the encoding of bodies.

import {
  ApiError,
  bodyTooLarge,
  emptyBody,
  encodedBody,
  malformedEncoding,
  unsupportedMediaType,
} from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { type ApiRequest, header } from '../../../model/request.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { ApiSettings } from '../../../model/settings/settings.ts'
import type { InputProblems } from '../input-problems.ts'
import { readParsedJson } from './json-parsed.ts'
import { readJsonText } from './strict-json.ts'

/** `application/json`, also with `; charset=utf-8`. */
const json = /^application\/json\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?\s*)?)*$/i
const mergePatch = /^application\/merge-patch\+json\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?\s*)?)*$/i

export const jsonMediaType = 'application/json'

/** The media type of a JSON Merge Patch (RFC 7396). */
const mergePatchMediaType = 'application/merge-patch+json'

/** The media types of a PATCH of one record. */
export const patchMediaTypes: string = `${jsonMediaType}, ${mergePatchMediaType}`

/** Whether the body of a request is a JSON Merge Patch. */
export const isMergePatch = (request: ApiRequest): boolean =>
  mergePatch.test(header(request, 'content-type') ?? '')

export interface BodyLimit {
  /** The largest size of a body. */
  readonly bytes: number
  /** The name of the setting, for error messages. */
  readonly setting: string
}

/** The limit of the API's setting. */
export const bodyLimitOf = ({ bodyLimit }: Pick<ApiSettings, 'bodyLimit'>): BodyLimit => ({
  bytes: bodyLimit,
  setting: settingNames.bodyLimit,
})

/**
 * Reads the body of a write: 415 unless it is uncompressed `application/json`, 413 beyond the limit, 400 if it is not JSON.
 * `mayMerge`: `application/merge-patch+json` is accepted as well.
 *
 * A body that the host has already parsed needs no media type.
 */
export function readBody(
  request: ApiRequest,
  limit: BodyLimit,
  problems: InputProblems,
  mayMerge = false,
): JsonValue {
  const { body } = request
  const type = header(request, 'content-type')
  const isText = typeof body === 'string' || body instanceof Uint8Array
  if (body === undefined || body === '') throw emptyBody()
  const isAccepted =
    type === undefined ? !isText : json.test(type) || (mayMerge && mergePatch.test(type))
  if (!isAccepted) {
    if (!mayMerge) throw unsupportedMediaType(type)
    const expected = `${jsonMediaType} or ${mergePatchMediaType}`
    // RFC 5789 §2.2 asks for this header in the refusal of a PATCH.
    throw unsupportedMediaType(type, expected, { 'accept-patch': patchMediaTypes })
  }
  refuseUnreadable(request, limit)
  return isText ? readJsonText(bodyText(body, limit), problems) : readParsedJson(body, problems)
}

/** Throws for a compressed body, for a body whose declared size exceeds the limit, and for a body that the adapter could not read. */
export function refuseUnreadable(request: ApiRequest, limit: BodyLimit): void {
  const encoding = header(request, 'content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw encodedBody(encoding)
  if (Number(header(request, 'content-length') ?? 0) > limit.bytes) {
    throw bodyTooLarge(limit.setting, limit.bytes)
  }
  // The adapter puts the error in the place of a body that it could not read.
  if (request.body instanceof ApiError) throw request.body
}

/** The text of a body; throws 413 beyond the limit, and 400 if it is not UTF-8. */
export function bodyText(body: string | Uint8Array, limit: BodyLimit): string {
  // UTF-8 has at most three bytes for a unit of UTF-16, so most bodies need not be counted.
  const mayBeTooLarge = body.length * 3 > limit.bytes
  if (mayBeTooLarge && bodySize(body) > limit.bytes) throw bodyTooLarge(limit.setting, limit.bytes)
  if (typeof body === 'string') return body
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw malformedEncoding('the body')
  }
}

/** The size of a body in bytes. */
export function bodySize(body: string | Uint8Array): number {
  if (typeof body !== 'string') return body.length
  // Plain ASCII has one byte per character.
  return /^[\0-\x7f]*$/.test(body) ? body.length : new TextEncoder().encode(body).length
}
