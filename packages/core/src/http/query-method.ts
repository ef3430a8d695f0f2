// QUERY (RFC 10008): a GET with the query string in the body, for queries that are too long for a URL.

import { unsupportedOverride } from '../errors.ts'
import { type ApiRequest, header } from '../model/request.ts'

/**
 * Whether a request has the method QUERY. `POST` with `X-HTTP-Method-Override: QUERY` counts as QUERY, for proxies that refuse
 * the method; throws 400 for another method in that header.
 */
export function isQueryRequest(request: ApiRequest): boolean {
  const method = request.method.toUpperCase()
  if (method !== 'POST') return method === 'QUERY'
  const override = header(request, 'x-http-method-override')?.toUpperCase()
  if (override === undefined || override === 'POST') return false
  if (override === 'QUERY') return true
  throw unsupportedOverride(override)
}
