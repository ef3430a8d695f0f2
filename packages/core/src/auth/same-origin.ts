// Same-origin proof: a cookie comes along with requests of any site, so one that changes something must say where it comes from.

import { type ApiRequest, header } from '../http/request.ts'

/** Whether a request changes nothing, or is proven to come from the API's own origin. */
export function isSameOrigin(request: ApiRequest, baseUrl: string): boolean {
  if (/^(?:get|head|options)$/i.test(request.method)) return true
  const site = header(request, 'sec-fetch-site')
  // Browsers send it with every request to a trustworthy origin, and no script can set it.
  if (site !== undefined) return site === 'same-origin'
  const origin = header(request, 'origin')
  if (origin === undefined || !URL.canParse(origin)) return false
  if (baseUrl !== '') return origin === baseUrl
  return new URL(origin).host === header(request, 'host')
}
