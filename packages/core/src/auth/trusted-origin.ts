// The origin of a request: browsers send cookies with requests of other sites too, so a request that writes must prove where it comes from.

import { type ApiRequest, header } from '../model/request.ts'

/** The origins that are trusted. */
export interface TrustedOrigins {
  /** The origin of the API; empty: that of the header `Host`. */
  readonly baseUrl: string
  /** Origins of other hosts. */
  readonly others: readonly string[]
}

/** Whether a request only reads, or its headers prove that it comes from the API's own origin or another trusted one. */
export function isFromTrustedOrigin(
  request: ApiRequest,
  { baseUrl, others }: TrustedOrigins,
): boolean {
  if (/^(?:get|head|options|query)$/i.test(request.method)) return true
  const site = header(request, 'sec-fetch-site')
  const origin = header(request, 'origin')
  if (origin !== undefined && others.includes(origin)) return true
  // Browsers set Sec-Fetch-Site on every request to a secure origin, and scripts cannot change it.
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined || !URL.canParse(origin)) return false
  if (baseUrl !== '') return origin === baseUrl
  return new URL(origin).host === header(request, 'host')
}
