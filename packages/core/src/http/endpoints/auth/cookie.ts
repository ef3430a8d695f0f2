// The access and refresh tokens as `Set-Cookie` headers, if these cookies are enabled: each response with new tokens sets them, logout
// deletes them.

import type { ApiRequest } from '../../../model/request.ts'
import type { AuthSettings } from '../../../model/settings/auth/auth-settings.ts'
import type { Result } from '../../envelope.ts'

/** The cookies of a result; none if no cookie is enabled. */
type Cookies = Pick<Result, 'cookies'>

/** Returns the cookies for a new pair of tokens. `auth.jwt` is set wherever tokens are issued. */
export const tokenCookies = (
  auth: AuthSettings,
  request: ApiRequest,
  tokens: { readonly access: string; readonly refresh: string },
): Cookies =>
  cookiesOf(auth, request, {
    access: { value: tokens.access, seconds: auth.jwt?.accessSeconds ?? 0 },
    refresh: { value: tokens.refresh, seconds: auth.jwt?.refreshSeconds ?? 0 },
  })

const deleted = { value: '', seconds: 0 }

/** Returns the cookies that delete the tokens: browsers delete a cookie only by its name, path and domain. */
export const deletedCookies = (auth: AuthSettings, request: ApiRequest): Cookies =>
  cookiesOf(auth, request, { access: deleted, refresh: deleted })

interface CookieContent {
  readonly value: string
  readonly seconds: number
}

/**
 * Scripts cannot read the cookies (HttpOnly), other sites' POST requests do not send them (SameSite), and plain HTTP never carries them
 * (Secure). A page of another site may link to one that needs the access token, so only the refresh token is `Strict`.
 */
function cookiesOf(
  { providers, cookieName, refreshCookie }: AuthSettings,
  { baseUrl = '' }: ApiRequest,
  { access, refresh }: { readonly access: CookieContent; readonly refresh: CookieContent },
): Cookies {
  const cookies: string[] = []
  const add = (name: string, { value, seconds }: CookieContent, path: string, sameSite: string) =>
    cookies.push(
      `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; Secure; SameSite=${sameSite}`,
    )
  if (providers.includes('cookie')) add(cookieName, access, baseUrl || '/', 'Lax')
  if (refreshCookie !== null) {
    const { name, domain, path } = refreshCookie
    const sameSite = domain === undefined ? 'Strict' : `Strict; Domain=${domain}`
    add(name, refresh, path === undefined ? '/' : `${baseUrl}${path}`, sameSite)
  }
  return cookies.length === 0 ? {} : { cookies }
}
