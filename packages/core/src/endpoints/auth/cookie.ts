// The access token as a cookie, where the cookie provider is on: set with every new token, taken away by logout.

import type { Runtime } from '../../call.ts'
import type { ApiRequest } from '../../http/request.ts'

/** `set-cookie` for a new token, or nothing where cookies are not read. */
export const tokenCookie = (
  runtime: Runtime,
  request: ApiRequest,
  token: string,
  seconds: number,
): Readonly<Record<string, string>> => header(runtime, request, token, seconds)

/** `set-cookie` that takes the token away. */
export const noCookie = (runtime: Runtime, request: ApiRequest): Readonly<Record<string, string>> =>
  header(runtime, request, '', 0)

/** No script can read it, no other site's form sends it, and it never travels in clear. */
function header(
  { settings }: Runtime,
  request: ApiRequest,
  value: string,
  seconds: number,
): Readonly<Record<string, string>> {
  const { providers, cookieName } = settings.auth
  if (!providers.includes('cookie')) return {}
  const path = request.baseUrl || '/'
  return {
    'set-cookie': `${cookieName}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`,
  }
}
