// The access token as a cookie, if the cookie provider is enabled: each response with a new token sets it, logout deletes it.

import type { ApiRequest } from '../../../model/request.ts'
import type { AuthSettings } from '../../../model/settings/auth/auth-settings.ts'

/** Returns the header `set-cookie` for a new token; no header if the cookie provider is disabled. */
export const tokenCookie = (
  auth: AuthSettings,
  request: ApiRequest,
  token: string,
  seconds: number,
): Readonly<Record<string, string>> => cookieHeader(auth, request, token, seconds)

/** Returns the header `set-cookie` that deletes the token. */
export const deletedCookie = (
  auth: AuthSettings,
  request: ApiRequest,
): Readonly<Record<string, string>> => cookieHeader(auth, request, '', 0)

/**
 * Scripts cannot read the cookie (HttpOnly), other sites' POST requests do not send it (SameSite), and plain HTTP never carries it
 * (Secure).
 */
function cookieHeader(
  { providers, cookieName }: AuthSettings,
  request: ApiRequest,
  value: string,
  seconds: number,
): Readonly<Record<string, string>> {
  if (!providers.includes('cookie')) return {}
  const path = request.baseUrl || '/'
  return {
    'set-cookie': `${cookieName}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`,
  }
}
