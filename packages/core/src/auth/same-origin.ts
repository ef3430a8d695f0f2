// Same-origin check: browsers send cookies with cross-site requests too, so a request that writes must prove its origin.

import { type ApiRequest, header } from '../model/request.ts'

/** Whether a request only reads, or comes provably from the API's own origin. */
export function isSameOrigin(request: ApiRequest, baseUrl: string): boolean {
  if (/^(?:get|head|options|query)$/i.test(request.method)) return true
  const site = header(request, 'sec-fetch-site')
  // Browsers set Sec-Fetch-Site on every request to a secure origin, and scripts cannot change it.
  if (site !== undefined) return site === 'same-origin'
  const origin = header(request, 'origin')
  if (origin === undefined || !URL.canParse(origin)) return false
  if (baseUrl !== '') return origin === baseUrl
  return new URL(origin).host === header(request, 'host')
}
