// RefreshCookie: the cookie that holds the refresh token, and the check of its setting (API_AUTH_REFRESH_COOKIE).

import { didYouMean } from '../../../../lib/naming/suggest.ts'
import type { Check } from '../../setting-checks.ts'

/** The setting, if it is an object. */
export interface RefreshCookieOptions {
  /** Begins with `__Secure-` or `__Host-`. Default `__Secure-refresh_token`. */
  readonly name?: string
  /** The domain whose hosts all get the cookie, `example.com`. Default: only the host of the API. */
  readonly domain?: string
}

/** The resolved cookie. */
export interface RefreshCookie {
  readonly name: string
  readonly domain: string | undefined
  /** Below the mount of the API; undefined: every path of the host, as the prefix `__Host-` demands. */
  readonly path: string | undefined
}

/** The name of the cookie without an option `name`. */
export const usualCookieName = '__Secure-refresh_token'

const members = ['name', 'domain']

/** Browsers accept such a cookie only with the path `/` and without a domain. */
export const hostCookiePrefix = '__Host-'

/** Accepts `RefreshCookieOptions`. */
export const refreshCookieOptions: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return "expected true, false or an object such as { name: '__Secure-refresh_token', domain: 'example.com' }."
  }
  const { name = usualCookieName, domain, ...others } = value as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    return `"${unknown}" is not a member of the cookie: expected ${members.join(', ')}.${didYouMean(unknown, members)}`
  }
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(name)) {
    return 'name: expected a name of letters, digits, _ . and -.'
  }
  if (!/^__(?:Secure|Host)-./.test(name)) {
    const plain = name.replace(/^_*(?:secure|host)-/i, '') || 'refresh_token'
    return `name: expected the prefix __Secure- or __Host-, with which browsers accept the cookie over HTTPS only. Did you mean "__Secure-${plain}"?`
  }
  if (domain === undefined) return undefined
  if (name.startsWith(hostCookiePrefix)) {
    return `domain: browsers refuse a cookie with the prefix __Host- and a domain. Leave out the domain, or name the cookie "__Secure-${name.slice(hostCookiePrefix.length)}".`
  }
  if (typeof domain !== 'string' || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) {
    const host = hostIn(domain)
    return `domain: expected a domain such as example.com.${host === undefined ? '' : ` Did you mean "${host}"?`}`
  }
  return undefined
}

/** Returns the domain in a URL, or in a domain with a leading dot. */
function hostIn(domain: unknown): string | undefined {
  if (typeof domain !== 'string') return undefined
  if (URL.canParse(domain)) return new URL(domain).hostname || undefined
  return /^\.[a-z0-9.-]+$/i.test(domain) ? domain.slice(1) : undefined
}
