// The headers that operations accept and respond with, as OpenAPI objects: ETags, conditions, idempotency keys, preferences, rate limits and
// write positions; and which operations have them by the settings.

import type { HeadersObject, ParameterObject } from 'openapi3-ts/oas31'
import type { Resource } from '../../model/registry/resource.ts'
import type { MethodName } from '../../model/settings/config.ts'
import type { ApiSettings } from '../../model/settings/settings.ts'
import { headerObject } from '../schemas/success-responses.ts'
import type { HeaderSent } from './operation-draft.ts'

/** The header of a response with one record. */
export const etag: HeadersObject = {
  ETag: headerObject('Identifies this version of the record in this representation.'),
}

const headerParameter = (
  name: string,
  description: string,
  limits: { readonly maxLength?: number } = {},
): ParameterObject => ({ name, in: 'header', description, schema: { type: 'string', ...limits } })

const ifMatch = headerParameter(
  'If-Match',
  "ETag of the client's copy of the record; 412 if the record has changed since.",
)

export const idempotencyKey: ParameterObject = headerParameter(
  'Idempotency-Key',
  'A string chosen by the client that identifies this request: sent again with it, the request is not executed again, and the first response is repeated.',
  { maxLength: 255 },
)

export const ifNoneMatch: ParameterObject = headerParameter(
  'If-None-Match',
  "ETag of the client's copy of the record; 304 if it is unchanged.",
)

const ifNoneMatchOfWrite = headerParameter(
  'If-None-Match',
  'ETag of a version of the record; 412 if that is the stored version. `*` is always 412, because the record has to exist.',
)

/** The conditions of a write of one record. */
export const writeConditions: readonly HeaderSent[] = [
  [ifMatch],
  [ifNoneMatchOfWrite, 'If-None-Match-Write'],
]

export const prefer: ParameterObject = headerParameter(
  'Prefer',
  '`return=minimal`: a response without a body, 204 in place of 200. `return=representation`: with the record, as without this header.',
)

export const preferenceApplied: HeadersObject = {
  'Preference-Applied': headerObject('The preference that was followed.'),
}

export const rateLimitHeaders: HeadersObject = {
  'RateLimit-Policy': headerObject('The limits of the operation: requests `q` in `w` seconds.'),
  RateLimit: headerObject('Requests that are left, `r`, for `t` seconds, under each limit.'),
}

export const positionInResponse: HeadersObject = {
  'X-Write-Position': headerObject(
    'The position of this write. A read that sends it sees the write.',
  ),
}

export const positionInRequest: ParameterObject = headerParameter(
  'X-Write-Position',
  'The `X-Write-Position` of a write: the response includes everything written up to it.',
)

/** Whether responses have the log position of the write (API_READ_YOUR_WRITES). */
export const respondsWithPosition = (
  { readYourWrites }: ApiSettings,
  method: MethodName,
): boolean => readYourWrites !== 'off' && method !== 'GET'

/** Whether requests may have the log position that they must see. */
export const acceptsPosition = ({ readYourWrites }: ApiSettings, method: MethodName): boolean =>
  readYourWrites !== 'off' && method === 'GET'

/** The headers of a page of a list. */
export const listHeaders = ({ settings }: Resource): HeadersObject => ({
  ...(settings.count === 'none'
    ? {}
    : { 'X-Total-Count-Capped': headerObject('`true` if there are more records than the count.') }),
  ...(settings.listEtags ? { ETag: headerObject('Identifies this version of the page.') } : {}),
})

/** The conditions of a request for a page of a list. */
export const listConditions = ({ settings }: Resource): readonly HeaderSent[] =>
  settings.listEtags ? [[ifNoneMatchOfList, 'If-None-Match-List']] : []

const ifNoneMatchOfList = headerParameter(
  'If-None-Match',
  "ETag of the client's copy of the page; 304 if it is unchanged.",
)
